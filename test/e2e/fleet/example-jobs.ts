import { readText, readYaml, readYamlDocuments } from '../../stack/repository.ts';

/** A rule of `relabel_configs`, as Prometheus spells it. */
export type RelabelRule = Readonly<Record<string, unknown>>;

export const PROMETHEUS = 'prometheus/scrape.shards.example.yml';
export const VMAGENT = 'examples/vmagent/scrape.yml';
export const OPERATOR = 'examples/prometheus-operator/scrapeconfigs.yaml';
export const ALLOY = 'examples/alloy/config.alloy';

interface ScrapeFile {
  readonly scrape_configs: readonly [{ readonly relabel_configs: readonly RelabelRule[] }];
}

/** The rules for the stations in a file of scrape configurations. */
export function scrapeRules(path: string): readonly RelabelRule[] {
  return (readYaml(path) as ScrapeFile).scrape_configs[0].relabel_configs;
}

/** The rules for the stations in the example for the operator, spelled as it spells them for Prometheus. */
export function operatorRules(): readonly RelabelRule[] {
  const [stations] = readYamlDocuments(OPERATOR) as readonly {
    readonly spec: { readonly relabelings: readonly RelabelRule[] };
  }[];
  const snakeCase = (name: string): string =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return (stations?.spec.relabelings ?? []).map((rule) =>
    Object.fromEntries(Object.entries(rule).map(([name, value]) => [snakeCase(name), value])),
  );
}

/**
 * The rules that the operator adds for one of two shards, as its page about sharding says: it hashes
 * `__tmp_hash`, or the address where there is none. It adds none where a rule has the action `hashmod`.
 */
export function addedByOperator(shard: number): readonly RelabelRule[] {
  return [
    {
      source_labels: ['__address__', '__tmp_hash'],
      regex: '(.+);',
      target_label: '__tmp_hash',
    },
    { source_labels: ['__tmp_hash'], action: 'hashmod', modulus: 2, target_label: '__tmp_hash' },
    { source_labels: ['__tmp_hash'], action: 'keep', regex: String(shard) },
  ];
}

/** The rules of the example for Alloy, which has the names of Prometheus in a syntax of its own. */
export function alloyRules(): readonly RelabelRule[] {
  return [...readText(ALLOY).matchAll(/^ {2}rule \{\n([^}]*)\}/gm)].map(([, body = '']) =>
    Object.fromEntries(
      [...body.matchAll(/^\s+(\w+)\s+= (.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        JSON.parse(value) as unknown,
      ]),
    ),
  );
}

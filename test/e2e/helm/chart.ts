import { spawnSync } from 'node:child_process';
import type { Manifest } from '../../stack/manifests.ts';
import { parseDocuments, repositoryPath } from '../../stack/repository.ts';

export const CHART = 'deploy/helm/solar-exporter';
export const RELEASE = 'solar-exporter';
export const NAMESPACE = 'roof';

/** Values with which the chart renders everything that deploy/kubernetes has, but the Secret. */
export const AS_THE_MANIFESTS = {
  credentials: { existingSecret: 'solar-exporter' },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true },
};

/** Runs helm with values on its standard input, and returns what it said without the notes about linked files. */
export function helm(arguments_: readonly string[], values: object = {}) {
  const { status, stdout, stderr } = spawnSync('helm', arguments_, {
    input: JSON.stringify(values),
    encoding: 'utf8',
  });
  const said = stderr.replaceAll(/^.*found symbolic link.*\n/gm, '');
  return { status, stdout, said };
}

const TEMPLATE = ['template', RELEASE, repositoryPath(CHART), '--namespace', NAMESPACE];

/** What Helm would send to the cluster. Throws with what Helm said where it refuses the values. */
export function render(values: object): readonly Manifest[] {
  const { status, stdout, said } = helm([...TEMPLATE, '--values', '-'], values);
  if (status !== 0) throw new Error(said);
  return parseDocuments(stdout) as readonly Manifest[];
}

/** The rendered object of a kind. Throws unless there is exactly one. */
export function onlyOf(kind: string, values: object): Manifest {
  const all = render(values).filter((manifest) => manifest.kind === kind);
  const [found] = all;
  if (found === undefined || all.length > 1) throw new Error(`${all.length} objects of ${kind}`);
  return found;
}

/** Why Helm refuses these values. */
export function refusal(values: object): string {
  return helm([...TEMPLATE, '--values', '-'], values).said;
}

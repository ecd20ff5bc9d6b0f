import { describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { type Manifest, manifestFiles, readManifest } from '../../stack/manifests.ts';
import { readText, readYamlDocuments } from '../../stack/repository.ts';
import { AS_THE_MANIFESTS, NAMESPACE, onlyOf, RELEASE, render } from './chart.ts';
import { differences } from './differences.ts';

const { version } = JSON.parse(readText('package.json')) as { version: string };

/** What Helm's conventions add to every object; the manifests leave the namespace to kubectl. */
const RELEASE_LABELS = {
  'app.kubernetes.io/instance': RELEASE,
  'app.kubernetes.io/version': version,
  'app.kubernetes.io/managed-by': 'Helm',
  'helm.sh/chart': `solar-exporter-${version}`,
};

const OF_EVERY_OBJECT = {
  'metadata namespace': [undefined, NAMESPACE],
  ...Object.fromEntries(
    Object.entries(RELEASE_LABELS).map(([name, value]) => [
      `metadata labels ${name}`,
      [undefined, value],
    ]),
  ),
};

/** Two releases in a namespace are told apart by their names. */
const selectsTheRelease = (path: string) => ({
  [`${path} app.kubernetes.io/instance`]: [undefined, RELEASE],
});

const CHECKSUM = expect.stringMatching(/^[0-9a-f]{64}$/) as string;

/** What the chart does otherwise than the manifests, by file. */
const NAMED: Readonly<Record<string, object>> = {
  'deployment.yaml': {
    ...selectsTheRelease('spec selector matchLabels'),
    ...selectsTheRelease('spec template metadata labels'),
    // Another configuration starts a new pod.
    'spec template metadata annotations': [
      undefined,
      { 'checksum/config': CHECKSUM, 'checksum/credentials': CHECKSUM },
    ],
    // An account of its own can be named in policies; it has no token either way.
    'spec template spec serviceAccountName': [undefined, RELEASE],
    'spec template spec containers 0 imagePullPolicy': [undefined, 'IfNotPresent'],
  },
  'service.yaml': {
    ...selectsTheRelease('spec selector'),
    'spec type': [undefined, 'ClusterIP'],
  },
  'networkpolicy.yaml': selectsTheRelease('spec podSelector matchLabels'),
  'servicemonitor.yaml': selectsTheRelease('spec selector matchLabels'),
  'prometheusrule.yaml': {},
};

describe.skipIf(!hasProgram('helm'))('the chart', () => {
  test.each(Object.keys(NAMED))('renders %s, with no difference that is not named', (file) => {
    const manifest = readManifest(file);
    const rendered = onlyOf(manifest.kind, AS_THE_MANIFESTS);
    expect(differences(manifest, rendered)).toEqual({ ...OF_EVERY_OBJECT, ...NAMED[file] });
  });

  test('renders no other object, but a service account without a token', () => {
    const kinds = render(AS_THE_MANIFESTS).map(({ kind }) => kind);
    const others = Object.keys(NAMED).map((file) => readManifest(file).kind);
    expect(kinds.toSorted()).toEqual([...others, 'ServiceAccount'].toSorted());
    expect(onlyOf('ServiceAccount', AS_THE_MANIFESTS)).toMatchObject({
      automountServiceAccountToken: false,
    });
    expect(new Set([...Object.keys(NAMED), 'secret.yaml'])).toEqual(new Set(manifestFiles()));
  });

  test('makes the same Secret from values', () => {
    const secret = readManifest('secret.yaml');
    const given = secret.stringData ?? {};
    const rendered = onlyOf('Secret', {
      credentials: {
        account: given['account'],
        password: given['password'],
        appId: given['app-id'],
        appSecret: given['app-secret'],
      },
    });
    expect(differences(secret, rendered)).toEqual(OF_EVERY_OBJECT);
  });

  test('makes a target of each station as the example for the operator does', () => {
    const address = `solar-exporter.${NAMESPACE}.svc:9877`;
    const example = readYamlDocuments('examples/prometheus-operator/scrapeconfigs.yaml');
    const rendered = render({
      ...AS_THE_MANIFESTS,
      serviceMonitor: {},
      scrapeConfig: { enabled: true },
    });
    const ofKind = rendered.filter(({ kind }) => kind === 'ScrapeConfig');
    const named = new Map(ofKind.map((manifest) => [manifest.metadata.name, manifest]));
    const [stations, self] = example as readonly [Manifest, Manifest];
    expect(differences(stations, named.get('solar-exporter-stations'))).toEqual({
      ...OF_EVERY_OBJECT,
      'metadata name': ['solar-stations', 'solar-exporter-stations'],
      // Prometheus usually runs in another namespace.
      'spec httpSDConfigs 0 url': ['http://solar-exporter:9877/sd', `http://${address}/sd`],
      'spec relabelings 4 replacement': ['solar-exporter:9877', address],
    });
    expect(differences(self, named.get('solar-exporter'))).toEqual({
      ...OF_EVERY_OBJECT,
      'spec staticConfigs 0 targets 0': ['solar-exporter:9877', address],
    });
  });
});

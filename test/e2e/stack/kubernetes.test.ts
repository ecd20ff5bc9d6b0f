import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { OPTIONS } from '../../../src/config/options.ts';
import { hasProgram } from '../../support/programs.ts';
import { startBoth } from '../../doors/house.ts';
import {
  type DeploymentSpec,
  type Manifest,
  manifestFiles,
  type NetworkPolicySpec,
  readManifest,
} from '../../stack/manifests.ts';
import { parseDocuments, readText, repositoryPath } from '../../stack/repository.ts';

const deployment = readManifest('deployment.yaml').spec as DeploymentSpec;
const { template } = deployment;
const pod = template.spec;
const [container] = pod.containers;
const service = readManifest('service.yaml').spec as {
  readonly selector: object;
  readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
};
const secret = readManifest('secret.yaml');

test('the list of manifests has them all but the secret, which it would overwrite', () => {
  const { resources } = readManifest('kustomization.yaml') as unknown as { resources: string[] };
  expect(new Set([...resources, 'secret.yaml'])).toEqual(new Set(manifestFiles()));
  expect(resources).not.toContain('secret.yaml');
});

test.skipIf(!hasProgram('kubectl'))('kubectl applies all of them, unchanged', () => {
  const folder = repositoryPath('deploy/kubernetes');
  const { stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const objects = parseDocuments(stdout) as readonly Manifest[];
  const ofKind = new Map(objects.map((object) => [object.kind, object]));
  const expected = manifestFiles().filter((file) => file !== 'secret.yaml');
  expect(objects).toHaveLength(expected.length);
  for (const manifest of expected.map(readManifest))
    expect(ofKind.get(manifest.kind)).toEqual(manifest);
});

test.each([
  { file: 'deployment.yaml', apiVersion: 'apps/v1', kind: 'Deployment' },
  { file: 'service.yaml', apiVersion: 'v1', kind: 'Service' },
  { file: 'networkpolicy.yaml', apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { file: 'secret.yaml', apiVersion: 'v1', kind: 'Secret' },
  { file: 'servicemonitor.yaml', apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor' },
  { file: 'prometheusrule.yaml', apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule' },
])('$file is a $kind of $apiVersion', ({ file, apiVersion, kind }) => {
  expect(readManifest(file)).toMatchObject({ apiVersion, kind });
});

test('everything finds what it selects', () => {
  const monitor = readManifest('servicemonitor.yaml').spec as {
    readonly selector: { readonly matchLabels: object };
    readonly endpoints: readonly { readonly port: string; readonly relabelings: object[] }[];
  };
  expect(template.metadata.labels).toMatchObject(deployment.selector.matchLabels);
  expect(template.metadata.labels).toMatchObject(service.selector);
  expect(readManifest('service.yaml').metadata.labels).toMatchObject(monitor.selector.matchLabels);
  const [port] = container.ports;
  expect(service.ports.map(({ targetPort }) => targetPort)).toEqual([port?.name]);
  expect(monitor.endpoints.map((endpoint) => endpoint.port)).toEqual([service.ports[0]?.name]);
  expect(monitor.endpoints[0]?.relabelings).toEqual([{ targetLabel: 'job', replacement: 'solar' }]);
});

describe('the network policy', () => {
  const policy = readManifest('networkpolicy.yaml').spec as NetworkPolicySpec;

  test('is about the pod of the exporter, in both directions', () => {
    expect(template.metadata.labels).toMatchObject(policy.podSelector.matchLabels);
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  test('lets the pods of the cluster reach the metrics, and nothing else', () => {
    expect(policy.ingress).toEqual([
      {
        from: [{ namespaceSelector: {} }],
        ports: [{ protocol: 'TCP', port: container.ports[0]?.name }],
      },
    ]);
  });

  test('lets the exporter ask for names and for the service, and nothing else', () => {
    const ports = policy.egress.flatMap((rule) => rule.ports);
    expect(ports).toEqual([
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
      { protocol: 'TCP', port: 443 },
    ]);
    const baseUrl = OPTIONS.find(({ flag }) => flag === 'base-url');
    expect(String(baseUrl?.default)).toMatch(/^https:\/\/[^:]+$/);
  });
});

test('the container has a limit of memory, and asks for less', () => {
  expect(container.resources.limits).toEqual({ memory: '512Mi' });
  expect(container.resources.requests).toEqual({ cpu: '10m', memory: '100Mi' });
});

test('two exporters never run at once', () => {
  expect(deployment).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
});

test('the container may do nothing that it does not need', () => {
  expect(container.image).toMatch(/:\d+\.\d+\.\d+$/);
  const [user = 0, group = 0] = (/^USER (\d+):(\d+)$/m.exec(readText('Dockerfile')) ?? [])
    .slice(1)
    .map(Number);
  expect(pod.securityContext).toEqual({
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: group,
    fsGroup: group,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

describe('the exporter in its pod', () => {
  test('answers the probes', async () => {
    const { url } = await startBoth();
    for (const { httpGet } of [container.livenessProbe, container.readinessProbe]) {
      expect(httpGet.port).toBe(container.ports[0]?.name);
      expect((await fetch(url + httpGet.path)).status, httpGet.path).toBe(200);
    }
  });

  test('accepts its environment and the mounted secret', async () => {
    const [mount] = container.volumeMounts;
    const volume = pod.volumes.find(({ name }) => name === mount?.name);
    const env = container.env.map(({ name, value, valueFrom }) => [
      name,
      value ?? secret.stringData?.[valueFrom?.secretKeyRef.key ?? ''],
    ]);
    const { config, warnings } = await parseConfig({
      flags: {},
      env: Object.fromEntries(env) as Record<string, string | undefined>,
      readFile: (path) => {
        const held = volume?.secret?.items?.find(
          (file) => path === `${mount?.mountPath}/${file.path}`,
        );
        const text = secret.stringData?.[held?.key ?? ''];
        if (text === undefined) throw new Error(`nothing is mounted at ${path}`);
        return text;
      },
    });
    expect(warnings).toEqual([]);
    expect(config.web.listenAddress).toEqual({ port: container.ports[0]?.containerPort });
    const secrets = OPTIONS.filter((option) => option.secret === true).map(({ env: name }) => name);
    for (const { name } of container.env) expect(secrets).not.toContain(name);
  });
});

test('the secret holds placeholders only', () => {
  for (const text of Object.values(secret.stringData ?? {})) expect(text).toMatch(/^replace-me/);
  const named = pod.volumes.flatMap((volume) => volume.secret?.secretName ?? []);
  expect(named).toEqual([secret.metadata.name]);
});

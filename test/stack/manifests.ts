import { readdirSync } from 'node:fs';
import { readYamlDocuments, repositoryPath } from './repository.ts';

const FOLDER = 'deploy/kubernetes';

/** As much of a Kubernetes object as every kind has. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
  readonly stringData?: Readonly<Record<string, string>>;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

export interface Container {
  readonly image: string;
  readonly env: readonly EnvironmentVariable[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly resources: {
    readonly requests: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
  };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface DeploymentSpec {
  readonly replicas: number;
  readonly strategy: { readonly type: string };
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: {
      readonly securityContext: object;
      readonly containers: readonly [Container];
      readonly volumes: readonly {
        readonly name: string;
        readonly emptyDir?: object;
        readonly secret?: {
          readonly secretName: string;
          readonly items?: readonly { readonly key: string; readonly path: string }[];
        };
      }[];
    };
  };
}

interface PolicyPort {
  readonly protocol: string;
  readonly port: string | number;
}

export interface NetworkPolicySpec {
  readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly policyTypes: readonly string[];
  readonly ingress: readonly { readonly from?: object; readonly ports: readonly PolicyPort[] }[];
  readonly egress: readonly { readonly to?: object; readonly ports: readonly PolicyPort[] }[];
}

/** The names of the manifests, without the list of them. */
export function manifestFiles(): readonly string[] {
  return readdirSync(repositoryPath(FOLDER)).filter((name) => name !== 'kustomization.yaml');
}

/** The one object of a manifest. */
export function readManifest(file: string): Manifest {
  const [manifest, ...others] = readYamlDocuments(`${FOLDER}/${file}`);
  if (others.length > 0) throw new Error(`${file} has more than one object`);
  return manifest as Manifest;
}

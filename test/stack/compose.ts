import { readYaml } from './repository.ts';

export interface ComposeService {
  readonly image?: string;
  readonly build?: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly pids_limit?: number;
  readonly mem_limit?: string;
  readonly memswap_limit?: string;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, { readonly name: string }>>;
}

export function readCompose(): ComposeFile {
  return readYaml('compose.yaml') as ComposeFile;
}

/** What a volume binds: where from and where to; a name without a path is not a bind. */
export function bindMounts({ volumes = [] }: ComposeService): readonly [string, string][] {
  return volumes
    .map((volume) => volume.split(':'))
    .filter(([source = '']) => source.startsWith('.'))
    .map(([source = '', target = '']) => [source, target]);
}

/** Replaces `${NAME:-default}` and `${NAME:+replacement}` as Compose does. */
export function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$\{(\w+):([-+])([^}]*)\}/g,
    (_, name: string, operator: string, word: string) => {
      const value = env[name] ?? '';
      if (operator === '-') return value === '' ? word : value;
      return value === '' ? '' : word;
    },
  );
}

/** What a container's environment is when `.env` says this. */
export function containerEnvironment(
  { environment = {} }: ComposeService,
  dotEnv: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const own = Object.entries(environment).map(([name, text]) => [name, interpolate(text, dotEnv)]);
  return { ...dotEnv, ...(Object.fromEntries(own) as Record<string, string>) };
}

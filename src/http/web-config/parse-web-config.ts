import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { readFailure, Secret, toJsonLine } from '../../base/shown.ts';
import type { YamlContent } from '../../base/yaml-content.ts';
import { loadTls } from './certificates.ts';
import {
  boolean,
  isMapping,
  mapping,
  optional,
  problemsOf,
  section,
  shown,
  text,
  texts,
} from './fields.ts';
import { tlsSchema } from './tls-schema.ts';
import type { WebConfig } from './web-config.ts';

/** Reads the text of YAML. */
export type ReadYaml = (text: string) => YamlContent;

/** Returns the text of a file, or throws. */
export type ReadFile = (path: string) => string;

/** The content of a file, or a sentence for every problem. */
export type ParsedWebConfig =
  { readonly config: WebConfig } | { readonly problems: readonly string[] };

/** Reads a web configuration and every file that it names, by paths relative to its own folder. */
export function parseWebConfig(
  path: string,
  readFile: ReadFile,
  readYaml: ReadYaml,
): ParsedWebConfig {
  const file = `--web.config.file: ${toJsonLine(path)}`;
  let content: string;
  try {
    content = readFile(path);
  } catch (error) {
    const problem = `cannot be read (${readFailure(error)}); accepted: a readable YAML file`;
    return { problems: [`${file}: ${problem}`] };
  }
  const yaml = readYaml(content);
  if ('fault' in yaml) return { problems: [`${file}: ${yaml.fault}`] };
  const folder = dirname(path);
  const parsed = parseContent(yaml.content, (name) =>
    readFile(isAbsolute(name) ? name : join(folder, name)),
  );
  return 'config' in parsed
    ? parsed
    : { problems: parsed.problems.map((problem) => `${file}: ${problem}`) };
}

function parseContent(content: unknown, readFile: ReadFile): ParsedWebConfig {
  const parsed = webConfigSchema.safeParse(content);
  const tlsSection = isMapping(content) ? content['tls_server_config'] : undefined;
  // The whole is not valid when another section is wrong; the files are checked all the same.
  const tlsRules = tlsSchema.safeParse(tlsSection).data;
  const { tls, problems } = loadTls(tlsSection, tlsRules, readFile);
  if (!parsed.success) return { problems: [...problemsOf(parsed.error), ...problems] };
  if (problems.length > 0) return { problems };
  const {
    http_server_config: { headers },
    basic_auth_users: users,
    auth_excluded_paths: openPaths = [],
  } = parsed.data;
  return { config: { tls, headers, users, openPaths: new Set(openPaths) } };
}

const LOWEST_COST = 4;
/** Takes some seconds to compare already; each step doubles them. */
const HIGHEST_COST = 16;

/** Validates `basic_auth_users`: the bcrypt hash of each user's password. */
const usersSchema = z
  .custom<Readonly<Record<string, unknown>>>(
    isMapping,
    'is not a mapping; accepted: lines such as name: value',
  )
  .transform((hashes, context) => {
    const users = new Map<string, Secret>();
    for (const [name, hash] of Object.entries(hashes)) {
      const fault = userFault(name, hash ?? '');
      if (fault !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: fault, input: undefined });
      if (typeof hash === 'string') users.set(name, new Secret(hash));
    }
    return users;
  });

function userFault(name: string, hash: unknown): string | undefined {
  if (typeof hash !== 'string') return 'is not a text';
  if (name.includes(':'))
    return 'is a name with a colon, which nobody can log in with; accepted: a name without one';
  const match = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash);
  if (match === null)
    return 'its value is not a bcrypt hash; accepted: $2a$, $2b$ or $2y$, cost and 53 characters, as htpasswd -nBC 10 prints it';
  const cost = Number(match[1]);
  if (cost >= LOWEST_COST && cost <= HIGHEST_COST) return undefined;
  return `its hash has cost ${cost}; accepted: ${LOWEST_COST} to ${HIGHEST_COST}`;
}

/** Validates the value of a header; without `accepted`, any that can be sent. */
function header(accepted?: readonly string[]): z.ZodType<string | undefined> {
  return optional(
    accepted === undefined
      ? // Anything else would end the header, or could not be sent.
        text.regex(/^[\t\x20-\x7e]*$/, 'its value cannot be a header; accepted: one line of ASCII')
      : text.refine((value) => accepted.includes(value), {
          error: ({ input }) =>
            `${shown(String(input))} is not among its values; accepted: ${accepted.join(', ')}`,
        }),
  );
}

const headersSchema = mapping({
  'Content-Security-Policy': header(),
  'X-Frame-Options': header(['deny', 'sameorigin']),
  'X-Content-Type-Options': header(['nosniff']),
  'X-XSS-Protection': header(),
  'Strict-Transport-Security': header(),
}).transform((headers) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), value]],
    ),
  ),
);

const httpSchema = mapping({
  http2: optional(
    boolean.refine(
      (isOn) => !isOn,
      'is not supported; accepted: false, for this server speaks HTTP/1.1',
    ),
  ),
  headers: section(headersSchema),
});

const pathSchema = z.string().regex(/^\/[^?#\s]*$/, {
  error: ({ input }) =>
    `${shown(String(input))} is not a path; accepted: a path such as /-/healthy`,
});

const webConfigSchema = section(
  mapping(
    {
      tls_server_config: tlsSchema,
      http_server_config: section(httpSchema),
      basic_auth_users: section(usersSchema),
      auth_excluded_paths: optional(texts.pipe(z.array(pathSchema))),
    },
    'not a mapping',
  ),
);

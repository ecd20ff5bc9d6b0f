import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Imports and globals that belong to one place each: CONTRIBUTING.md says why. */
const fences = {
  'prom-client': ['prom-client'],
  undici: ['undici'],
  'node:http': builtin('http', 'https', 'http2', 'net', 'tls'),
  'node:process': builtin('process'),
  'node:crypto': builtin('crypto'),
  'node:worker_threads': builtin('worker_threads'),
  'node:timers': builtin('timers', 'timers/promises'),
};

/** A module of Node.js by both of its names. */
function builtin(...names) {
  return names.flatMap((name) => [name, `node:${name}`]);
}

const fencedModules = Object.values(fences).flat().join('|').replaceAll('/', '\\u002F');

/** Dependencies run one way: each layer lists the layers it must not know. */
const layersAbove = {
  model: [
    'client',
    'collectors',
    'metrics',
    'status',
    'http',
    'simulator',
    'commands',
    'config',
    '.',
  ],
  client: ['state', 'collectors', 'metrics', 'status', 'http', 'simulator', 'commands', 'config'],
  collectors: ['state', 'metrics', 'status', 'http', 'simulator', 'commands', 'config'],
  metrics: ['state', 'status', 'http', 'simulator', 'commands', 'config'],
  status: ['state', 'http', 'simulator', 'commands', 'config'],
  http: ['state', 'client', 'simulator', 'commands', 'config'],
  state: [
    'model',
    'client',
    'collectors',
    'metrics',
    'status',
    'http',
    'simulator',
    'commands',
    'config',
  ],
  config: ['model', 'client', 'collectors', 'metrics', 'status', 'http', 'simulator', 'commands'],
  simulator: ['client', 'collectors', 'metrics', 'status', 'http', 'model', 'commands'],
};

function restrictedImports({ allowed = [], layer }) {
  const paths = Object.entries(fences)
    .filter(([fence]) => !allowed.includes(fence))
    .flatMap(([fence, modules]) =>
      modules.map((name) => ({ name, message: `${fence} is fenced: see CONTRIBUTING.md.` })),
    );
  const patterns = (layersAbove[layer] ?? []).map((above) => ({
    regex: above === '.' ? '^\\.\\./(?!.*/)' : `^\\.\\.?/(\\.\\./)*${above}/`,
    message: `src/${layer} must not import from ${above === '.' ? 'outside itself' : `src/${above}`}.`,
  }));
  const topLevel =
    layer === undefined
      ? []
      : [
          {
            regex: '^(\\.\\./)+(cli|exporter)\\.ts$',
            message: 'Only the command line composes the program.',
          },
        ];
  return ['error', { paths, patterns: [...patterns, ...topLevel] }];
}

const clockRules = {
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: 'Take a Clock.' },
    { object: 'Math', property: 'random', message: 'Take a random function.' },
    { object: 'performance', property: 'now', message: 'Take a Clock.' },
  ],
  'no-restricted-globals': [
    'error',
    ...['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({
      name,
      message: 'Timers live in clock.ts and cli.ts.',
    })),
    { name: 'process', message: 'Only cli.ts touches the process.' },
    { name: 'fetch', message: 'The network is undici, in client/transport.ts.' },
  ],
  'no-restricted-syntax': [
    'error',
    {
      selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
      message: 'Take a Clock.',
    },
    { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
    // Other ways around the fences.
    {
      selector: `ImportExpression[source.value=/^(${fencedModules})$/]`,
      message: 'A fenced module is imported at the top, where its fence can see it.',
    },
    { selector: 'Identifier[name="globalThis"]', message: 'Globals are named, or not used.' },
  ],
};

const layer = (name, allowed = [], files = [`src/${name}/**/*.{ts,js}`]) => ({
  files,
  rules: { 'no-restricted-imports': restrictedImports({ allowed, layer: name }) },
});

export default defineConfig(
  {
    ignores: ['dist/', 'dist-bench/', 'dist-grafana/', 'dist-pictures/', 'dist-soak/', 'coverage/'],
  },
  {
    files: ['**/*.ts', 'src/**/*.js'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.{ts,js}'],
    rules: { ...clockRules, 'no-restricted-imports': restrictedImports({}) },
  },
  layer('model'),
  layer('client'),
  layer('client', ['undici'], ['src/client/transport.ts']),
  layer(
    'client',
    ['node:crypto'],
    ['src/client/signature.ts', 'src/client/app-secret.ts', 'src/client/credentials-digest.ts'],
  ),
  layer('collectors'),
  layer('metrics', ['prom-client']),
  layer('status'),
  layer('http', ['node:http']),
  layer(
    'http',
    ['node:crypto'],
    ['src/http/web-config/pem.ts', 'src/http/authentication/login-digest.ts'],
  ),
  layer(
    'http',
    ['node:worker_threads'],
    ['src/http/authentication/bcrypt-worker.js', 'src/http/authentication/password-worker.ts'],
  ),
  layer('config'),
  layer('state'),
  layer('state', ['node:http'], ['src/state/directory-lock.ts']),
  layer('simulator', ['node:http', 'node:crypto']),
  {
    files: ['src/cli.ts', 'src/clock.ts', 'src/surroundings.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
  },
  {
    files: ['src/cli.ts'],
    rules: { 'no-restricted-imports': restrictedImports({ allowed: ['node:process'] }) },
  },
  {
    files: ['src/surroundings.ts'],
    rules: { 'no-restricted-imports': restrictedImports({ allowed: ['node:crypto'] }) },
  },
  {
    // What the browser is sent as it is: typed by its comments, which the compiler checks.
    files: ['src/http/status-page/*.js'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // It runs in the browser, and what it is answered comes from this very program.
    files: ['src/http/status-page/live.js'],
    rules: { 'no-restricted-globals': 'off', '@typescript-eslint/no-unsafe-return': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['**/*.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);

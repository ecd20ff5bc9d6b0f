/** The rooms of src/ in one line: each may import those after it, and `base`. */
const LINE = ['commands', 'exporter', 'http', 'status', 'metrics', 'collectors', 'client', 'model'];
const below = (room) => LINE.slice(LINE.indexOf(room) + 1);

/** What each room may import beside itself. A room that is not listed here may import nothing. */
const ROOMS = {
  ...Object.fromEntries(LINE.map((room) => [room, [...below(room), 'base']])),
  commands: [...below('commands'), 'history', 'config', 'state', 'simulator', 'base'],
  exporter: [...below('exporter'), 'state', 'base'],
  model: [],
  history: [...below('status'), 'state', 'base'],
  config: ['base'],
  state: ['base'],
  simulator: ['base'],
  base: [],
};

/** Within a room: what a folder of it must not import, its neighbours and the files that compose the whole. */
const FOLDERS = {
  'client/devices': ['client.ts'],
  'client/session': ['client.ts', 'devices/', 'dialects/'],
  'client/dialects': ['client.ts', 'devices/', 'session/'],
  'client/exchange': ['client.ts', 'devices/', 'session/', 'dialects/'],
  'collectors/tariff': ['collection.ts', 'station-targets.ts'],
  'http/status-page': ['server.ts', 'routes.ts'],
  'simulator/service': ['simulator.ts'],
  'simulator/families': ['simulator.ts', 'service/'],
  'simulator/physics': ['simulator.ts', 'service/', 'families/'],
};

/** Modules that belong to few places, and those places: CONTRIBUTING.md says why. */
const MODULES = [
  { modules: ['prom-client'], places: ['metrics/'] },
  { modules: ['undici'], places: ['client/exchange/transport.ts'] },
  {
    modules: ['http', 'https', 'http2', 'net', 'tls'],
    places: ['http/', 'simulator/[^/]+$', 'simulator/service/', 'state/state-directory.ts'],
  },
  { modules: ['process'], places: ['cli.ts'] },
  {
    modules: ['crypto'],
    places: [
      'base/clock.ts',
      'client/session/credentials.ts',
      'http/(?:authenticator|web-config).ts',
      'simulator/[^/]+$',
      'simulator/service/',
    ],
  },
  // Timers live in base/clock.ts, base/turns.ts and cli.ts, and are globals there.
  { modules: ['timers', 'timers/promises', 'worker_threads'], places: [] },
];

const inSource = (places) => `^src/(?:${places.join('|')})`;
const folders = (rooms) => rooms.map((room) => `${room}/`);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'Not of types either: what two files need stands below both.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'every-room-is-listed',
      comment: 'Say in .dependency-cruiser.js what this folder may import.',
      severity: 'error',
      from: { path: '^src/', pathNot: inSource(['cli\\.ts$', ...folders(Object.keys(ROOMS))]) },
      to: {},
    },
    {
      name: 'every-folder-is-listed',
      comment: 'Say in .dependency-cruiser.js what this folder must not import.',
      severity: 'error',
      from: { path: '^src/[^/]+/[^/]+/', pathNot: inSource(folders(Object.keys(FOLDERS))) },
      to: {},
    },
    ...Object.entries(ROOMS).map(([room, known]) => ({
      name: `room-${room}`,
      comment: `It may import ${known.join(', ') || 'no other room'}.`,
      severity: 'error',
      from: { path: inSource([`${room}/`]) },
      to: { path: '^(?:src|test|grafana)/', pathNot: inSource(folders([room, ...known])) },
    })),
    ...Object.entries(FOLDERS).map(([folder, closed]) => ({
      name: `folder-${folder.replace('/', '-')}`,
      comment: `It must not import ${closed.join(', ')}.`,
      severity: 'error',
      from: { path: inSource([`${folder}/`]) },
      to: { path: inSource(closed.map((path) => `${folder.split('/')[0]}/${path}`)) },
    })),
    ...MODULES.map(({ modules, places }) => ({
      name: `module-${modules[0].replace('/', '-')}`,
      comment: `Only ${places.join(', ') || 'nobody'} may import it.`,
      severity: 'error',
      from: { path: '^src/', ...(places.length > 0 && { pathNot: inSource(places) }) },
      to: { path: `^(?:${modules.join('|')})$|(?:^|/)node_modules/(?:${modules.join('|')})/` },
    })),
    {
      name: 'light-command-line',
      comment:
        'A container starts the program every 30 s to ask for its health: a command loads what it needs itself.',
      severity: 'error',
      from: {
        path: inSource(['cli.ts$', 'commands/(?:run|command|commands|command-line|health).ts$']),
      },
      to: {
        path: inSource(
          folders(['client', 'collectors', 'metrics', 'exporter', 'history', 'state', 'simulator']),
        ),
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    {
      name: 'no-dev-dependency',
      comment: 'What is installed with the program has to be a dependency of it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Imports of types count, too.
    tsPreCompilationDeps: true,
  },
};

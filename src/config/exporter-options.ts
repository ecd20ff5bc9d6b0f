import type { OptionRow } from './option.ts';

/** Lists what shapes the exporter itself: collectors, caches, its page, its log. */
export const EXPORTER_OPTIONS = [
  {
    flag: 'collect.settings',
    kind: 'boolean',
    default: 'false',
    describe: 'collect device settings',
  },
  {
    flag: 'collect.alarms',
    kind: 'boolean',
    default: 'true',
    describe:
      'collect firing alarms; without effect so far, as this version has no collector for them',
  },
  {
    flag: 'collect.process',
    kind: 'boolean',
    default: 'false',
    describe: 'serve process metrics of the exporter',
  },
  {
    flag: 'cache.readings-ttl',
    kind: 'duration',
    default: '60s',
    placeholder: 'DURATION',
    describe: 'how long readings count as fresh',
  },
  {
    flag: 'cache.summary-ttl',
    kind: 'duration',
    default: '15m',
    placeholder: 'DURATION',
    describe: 'how long the monthly summary counts as fresh',
  },
  {
    flag: 'cache.devices-ttl',
    kind: 'duration',
    default: '1h',
    placeholder: 'DURATION',
    describe: 'how long the list of devices counts as fresh',
  },
  {
    flag: 'cache.settings-ttl',
    kind: 'duration',
    default: '1h',
    placeholder: 'DURATION',
    describe: 'how long device settings count as fresh',
  },
  {
    flag: 'cache.max-age',
    kind: 'duration',
    default: '15m',
    placeholder: 'DURATION',
    describe: 'readings older than this are withdrawn',
  },
  {
    flag: 'scrape.timeout',
    kind: 'duration',
    default: '9.5s',
    placeholder: 'DURATION',
    describe: 'longest wait inside one scrape',
  },
  {
    flag: 'web.listen-address',
    kind: 'address',
    default: ':9877',
    placeholder: '[HOST]:PORT',
    describe: 'where to serve metrics',
  },
  {
    flag: 'web.telemetry-path',
    kind: 'endpointPath',
    default: '/metrics',
    placeholder: 'PATH',
    describe: 'path under which to serve metrics',
  },
  {
    flag: 'log.level',
    kind: 'choice',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    placeholder: 'LEVEL',
    describe: 'least severe message that is logged',
  },
  {
    flag: 'log.format',
    kind: 'choice',
    choices: ['json', 'pretty'],
    unset: '`json`, on a terminal `pretty`',
    placeholder: 'FORMAT',
    describe: 'form of the log on stderr',
  },
  {
    flag: 'config.file',
    kind: 'path',
    fileKey: false,
    placeholder: 'FILE',
    describe: 'YAML file with any of these options as keys',
  },
] as const satisfies readonly OptionRow[];

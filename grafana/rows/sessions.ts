import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { STATES } from '../colours.ts';
import { columns, instants, MERGED, nameless, words } from '../columns.ts';
import { texts } from '../panel.ts';
import { table } from '../panels.ts';
import { labelList, series } from '../series.ts';
import { UNITS } from '../units.ts';

const BY_SESSION = labelList('job', 'instance', 'account');

/** Whether the session of each exporter works. */
export const sessionTable: Panel = table(
  {
    title: 'Sessions',
    description:
      'How each exporter keeps its session alive, whether only new credentials can help, when its token expires (it is renewed five minutes earlier), and until when it attempts no log-in because the service refused one.',
  },
  [
    {
      expr: `${series('solar_reauthentication_required')} * on ${BY_SESSION} group_left ${labelList('mode')} ${series('solar_session_info')}`,
      legend: '',
    },
    { expr: `${series('solar_token_expiry_timestamp_seconds')} * 1000`, legend: '' },
    { expr: `${series('solar_login_blocked_until_timestamp_seconds')} * 1000`, legend: '' },
  ],
  [
    MERGED,
    columns({
      instance: 'Exporter',
      mode: 'Kept alive by',
      'Value #A': 'Session',
      'Value #B': 'Token expires',
      'Value #C': 'Log-in blocked until',
    }),
  ],
  {
    Session: words(
      texts({ '0': ['fine', STATES.good], '1': ['new credentials needed', STATES.bad] }),
    ),
    'Token expires': instants(UNITS.fromNow),
    'Log-in blocked until': instants(UNITS.fromNow),
  },
);

/** What runs where. */
export const versionTable: Panel = table(
  {
    title: 'Versions',
    description:
      'Which version of the exporter runs where, and whether the configuration last asked for is at work; when its last reload was refused, the one before is.',
  },
  [
    { expr: nameless(series('solar_exporter_build_info')), legend: '' },
    { expr: nameless(series('solar_config_last_reload_successful')), legend: '' },
  ],
  [
    MERGED,
    columns(
      {
        instance: 'Exporter',
        version: 'Version',
        revision: 'Revision',
        node_version: 'Node.js',
        'Value #B': 'Configuration',
      },
      'Value #A',
    ),
  ],
  {
    Configuration: words(
      texts({ '0': ['reload refused', STATES.bad], '1': ['as asked for', STATES.good] }),
    ),
  },
);

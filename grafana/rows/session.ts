import { STATES } from '../colours.ts';
import { exporterNamed } from '../expressions.ts';
import type { Strip } from '../layout.ts';
import { texts } from '../panel.ts';
import { remarkedStat } from '../panels.ts';
import { labelList, series } from '../series.ts';

const BY_SESSION = labelList('job', 'instance', 'account');
const BLOCKED_UNTIL = series('solar_login_blocked_until_timestamp_seconds');

/** Whether the session of each exporter works. */
export const sessionStrip: Strip = {
  height: 4,
  panels: [
    [
      5,
      remarkedStat(
        {
          title: 'Token expires',
          description:
            'When the access token of each exporter expires; it is renewed five minutes earlier.',
          unit: 'dateTimeFromNow',
        },
        [
          {
            expr: exporterNamed(`${series('solar_token_expiry_timestamp_seconds')} * 1000`),
            legend: '{{exporter}}',
          },
        ],
      ),
    ],
    [
      5,
      remarkedStat(
        {
          title: 'Session',
          description:
            'How each exporter keeps its session alive, and whether only new credentials can help.',
          unit: 'none',
          mappings: texts({
            '0': ['fine', STATES.good],
            '1': ['new credentials needed', STATES.bad],
          }),
        },
        [
          {
            expr: exporterNamed(
              `${series('solar_reauthentication_required')} * on ${BY_SESSION} group_left ${labelList('mode')} ${series('solar_session_info')}`,
            ),
            legend: '{{exporter}} by {{mode}}',
          },
        ],
      ),
    ],
    [
      5,
      remarkedStat(
        {
          title: 'Log-in blocked until',
          description:
            'Until when no log-in is attempted because the service refused one. It says "not blocked" only while the exporter can be scraped.',
          unit: 'dateTimeFromNow',
        },
        [
          {
            expr: exporterNamed(`${BLOCKED_UNTIL} * 1000`),
            legend: '{{exporter}}',
            colour: STATES.bad,
          },
          {
            expr: exporterNamed(
              `${series('solar_reauthentication_required')} * 0 unless on ${BY_SESSION} ${BLOCKED_UNTIL}`,
            ),
            legend: '{{exporter}}',
            properties: [{ id: 'mappings', value: texts({ '0': ['not blocked', STATES.good] }) }],
          },
        ],
      ),
    ],
    [
      5,
      remarkedStat(
        {
          title: 'Token renewals',
          description:
            'Attempts to renew the token in the range shown, by way and outcome. About one every two hours is normal.',
          unit: 'none',
          decimals: 0,
        },
        [
          {
            expr: `sum by ${labelList('method', 'outcome')} (increase(${series('solar_token_renewals_total')}[$__range]))`,
            legend: '{{method}}: {{outcome}}',
          },
        ],
      ),
    ],
    [
      4,
      remarkedStat(
        {
          title: 'Configuration',
          description:
            'Whether the configuration last asked for is at work; when its last reload was refused, the one before is.',
          unit: 'none',
          mappings: texts({
            '1': ['as asked for', STATES.good],
            '0': ['reload refused', STATES.bad],
          }),
        },
        [
          {
            expr: series('solar_config_last_reload_successful'),
            legend: '{{instance}}',
          },
        ],
      ),
    ],
  ],
};

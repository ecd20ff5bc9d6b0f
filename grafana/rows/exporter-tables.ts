import { columns, MERGED } from '../columns.ts';
import { named } from '../expressions.ts';
import type { Strip } from '../layout.ts';
import { table } from '../panels.ts';
import { labelList, series } from '../series.ts';

/** Tables about the exporter, its stations and its devices. */
export const exporterTables: readonly Strip[] = [
  {
    height: 7,
    panels: [
      [
        12,
        table(
          {
            title: 'Versions',
            description: 'Which version of the exporter runs where.',
            unit: 'none',
          },
          [{ expr: series('solar_exporter_build_info'), legend: '' }],
          [
            columns({
              instance: 'Exporter',
              version: 'Version',
              revision: 'Revision',
              node_version: 'Node.js',
            }),
          ],
        ),
      ],
      [
        12,
        table(
          {
            title: 'Stations',
            description: 'The stations, the time zone that their months follow, and their devices.',
            unit: 'none',
          },
          [
            {
              expr: `${series('solar_station_devices')} * on ${labelList('job', 'instance', 'account', 'station_id')} group_left ${labelList('name', 'time_zone')} ${series('solar_station_info')}`,
              legend: '',
            },
          ],
          [
            columns({
              name: 'Station',
              station_id: 'Station id',
              time_zone: 'Time zone',
              Value: 'Devices',
              instance: 'Exporter',
            }),
          ],
        ),
      ],
    ],
  },
  {
    height: 8,
    panels: [
      [
        14,
        table(
          {
            title: 'Dialects',
            description:
              'Which inverter family each device speaks like and where it is read, how many of the seven quantities of the interface it has no known key for, and how many of its keys no rule reads.',
            unit: 'none',
          },
          [
            {
              expr: named(series('solar_device_dialect_info'), 'model'),
              legend: '',
            },
            { expr: named(series('solar_device_missing_quantities'), 'model'), legend: '' },
            { expr: named(series('solar_device_unknown_keys'), 'model'), legend: '' },
          ],
          [
            MERGED,
            columns({
              name: 'Device',
              model: 'Model',
              family: 'Family',
              source: 'Read from',
              'Value #B': 'Quantities missing',
              'Value #C': 'Keys unread',
              device_id: 'Device id',
              instance: 'Exporter',
            }),
          ],
        ),
      ],
      [
        10,
        table(
          {
            title: 'Quantities missing',
            description:
              'Quantities of the interface that a device has no known key for; "solar-exporter devices --explain" says more.',
            unit: 'none',
          },
          [{ expr: named(series('solar_device_quantity_missing')), legend: '' }],
          [columns({ name: 'Device', quantity: 'Quantity', instance: 'Exporter' })],
        ),
      ],
    ],
  },
];

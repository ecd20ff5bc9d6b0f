import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { columns, ID_WIDTH, MERGED } from '../columns.ts';
import { DEVICE_OF_EXPORTER } from '../expressions.ts';
import { named } from '../names.ts';
import { table } from '../panels.ts';
import { series } from '../series.ts';

const MISSING = `count by ${DEVICE_OF_EXPORTER} (${series('solar_device_quantity_missing_info')})`;

/** How each device speaks. */
export const dialectTable: Panel = table(
  {
    title: 'Dialects',
    description:
      'Which inverter family each device speaks like and where it is read, how many of the seven quantities of the interface it has no known key for, and how many of its keys no rule reads.',
  },
  [
    { expr: named(series('solar_device_dialect_info'), 'model'), legend: '' },
    { expr: named(MISSING, 'model'), legend: '' },
    { expr: named(series('solar_device_unknown_keys'), 'model'), legend: '' },
  ],
  [
    MERGED,
    columns(
      {
        name: 'Device',
        model: 'Model',
        family: 'Family',
        source: 'Read from',
        'Value #B': 'Quantities missing',
        'Value #C': 'Keys unread',
        device_id: 'Device id',
        instance: 'Exporter',
      },
      'Value #A',
    ),
  ],
  { 'Device id': [ID_WIDTH] },
);

/** What each device lacks. */
export const missingTable: Panel = table(
  {
    title: 'Quantities missing',
    description:
      'Quantities of the interface that a device has no known key for; "solar-exporter devices --explain" says more.',
  },
  [{ expr: named(series('solar_device_quantity_missing_info')), legend: '' }],
  [columns({ name: 'Device', quantity: 'Quantity', instance: 'Exporter' })],
);

import { PORTAL_SETTINGS } from './portal-setting.ts';
import type { FamilyModel, HistoryRule } from './family-model.ts';
import { text } from './field.ts';

/** The keys history of a family that has nothing peculiar. */
export const PLAIN_HISTORY: HistoryRule = {
  keys: 'all',
  lacking: 'left-out',
  lateKeys: {},
  hasUnits: false,
  isNullWhenEmpty: false,
};

/** What most families have in common. */
export const COMMON = {
  history: PLAIN_HISTORY,
  latest: 'all',
  flow: undefined,
  settings: PORTAL_SETTINGS,
  deviceModel: 'SIM-5K',
  isPvOnlySummary: false,
} as const satisfies Partial<FamilyModel>;

/** The letters several families spell their mode in (field notes 3.5). */
export const WORKING_MODE = text(
  ({ batteryDischargeCurrentAmperes }) => (batteryDischargeCurrentAmperes > 0 ? 'B' : 'L'),
  { B: 'Battery mode', L: 'Line mode' },
);

import { expect, test } from 'vitest';
import { CLASSIC_DIALECT } from '../../../src/client/dialects/classic.ts';

test.each([
  { key: 'pvInputPower', quantity: 'pvPowerWatts', sent: 1200, ours: 1200 },
  { key: 'acOutputActivePower', quantity: 'acOutputPowerWatts', sent: 0.85, ours: 850 },
  { key: 'batteryDischargeCurrent', quantity: 'batteryDischargeCurrentAmperes', sent: 8, ours: 8 },
  { key: 'batteryChargingCurrent', quantity: 'batteryChargingCurrentAmperes', sent: 9, ours: 9 },
  { key: 'batteryVoltage', quantity: 'batteryVoltageVolts', sent: 52.4, ours: 52.4 },
  { key: 'feedInPower', quantity: 'gridFeedInPowerWatts', sent: 30, ours: 30 },
  { key: 'batterySOC', quantity: 'batterySocRatio', sent: 93, ours: 0.93 },
])('$key $sent is $quantity $ours', ({ key, quantity, sent, ours }) => {
  const rule = CLASSIC_DIALECT.find((candidate) => candidate.key === key);
  expect(rule?.quantity).toBe(quantity);
  expect(rule?.convert(sent)).toBe(ours);
});

test('no two rules write one quantity', () => {
  expect(new Set(CLASSIC_DIALECT.map(({ quantity }) => quantity)).size).toBe(7);
});

import { describe, expect, test } from 'vitest';
import { INTERFACE_KEYS, recogniseFamily } from '../../../src/client/dialects/family.ts';

describe('a family is recognised', () => {
  test.each([
    { keys: ['mainsPower'], family: 'hpvinv02' },
    { keys: ['outputActivePower', 'batteryVoltage'], family: 'hpvinv02' },
    { keys: ['aPhaseMainsPower'], family: 'uwb1' },
    { keys: ['PV1ChargingPower'], family: 'pi30' },
    { keys: ['GridPower'], family: 'mega-eco' },
    { keys: ['aPhaseFeederPower'], family: 'a-phase-hybrid' },
    { keys: ['battery_charge_state', 'load_power'], family: 'msdc' },
    { keys: ['remainingBatteryCapacity'], family: 'sierro' },
    { keys: ['pv2RealTimePower'], family: 'maniy' },
    { keys: ['tqfDailyElectricityGeneration', 'pvPower'], family: 'techfine' },
    { keys: ['batteryRemainingCapacitySOC', 'load_power'], family: 'charge-controller' },
    { keys: ['CTPower', 'batteryVoltage'], family: 'mega-eco' },
    { keys: ['bPhaseFeederPower'], family: 'a-phase-hybrid' },
    { keys: ['exchangeChargingPower', 'outputPower'], family: 'sierro' },
    { keys: ['battery_current', 'outputPower'], family: 'msdc' },
    { keys: ['workingStates', 'gridState', 'batState'], family: 'line-interactive' },
  ])('as $family by keys that only it uses: $keys', ({ keys, family }) => {
    expect(recogniseFamily(keys)).toBe(family);
  });

  test('by its own keys in any case', () => {
    expect(recogniseFamily(['gridpower'])).toBe('mega-eco');
    expect(recogniseFamily(['pv1chargingPower'])).toBe('pi30');
  });

  test('as the one with most keys of its own', () => {
    expect(recogniseFamily(['mainsPower', 'GridPower', 'pv2InputPower'])).toBe('mega-eco');
    expect(recogniseFamily(['outputActivePower', 'mainsPower', 'GridPower'])).toBe('hpvinv02');
  });

  test('as one that uses the keys of another family, by its own', () => {
    const keys = ['outputActivePower', 'mainsPower', 'mainsCurrentFlowDirection'];
    expect(recogniseFamily(keys)).toBe('hpvinv02');
    expect(recogniseFamily([...keys, 'tqfDailyElectricityGeneration'])).toBe('techfine');
  });

  test('before the interface where a device has keys of both', () => {
    const keys = ['pvInputPower', 'acOutputActivePower', 'batteryVoltage', 'GridPower'];
    expect(recogniseFamily(keys)).toBe('mega-eco');
  });

  test.each([
    { keys: INTERFACE_KEYS },
    { keys: ['pvInputPower', 'acOutputActivePower', 'batteryVoltage'] },
    { keys: ['pvInputPower', 'batteryVoltage', 'batterySOC', 'busVoltage'] },
  ])('as classic by the keys of the interface: $keys', ({ keys }) => {
    expect(recogniseFamily(keys)).toBe('classic');
  });

  test.each([
    { why: 'no key', keys: [] },
    { why: 'two keys of the interface', keys: ['pvInputPower', 'batterySOC'] },
    {
      why: 'keys of the interface without its PV power',
      keys: ['batteryChargingCurrent', 'batteryVoltage', 'batterySOC', 'acOutputActivePower'],
    },
    { why: 'keys of several families', keys: ['generationPower', 'pv1Power', 'load_power'] },
    { why: 'keys of every family', keys: ['batteryVoltage', 'gridVoltage', 'workingMode'] },
    { why: 'the voltage of a BMS', keys: ['bmsBatteryVoltage', 'gridVoltage'] },
    { why: 'keys without a rule', keys: ['solarYieldNow', 'houseMeter'] },
  ])('in no device with $why', ({ keys }) => {
    expect(recogniseFamily(keys)).toBeUndefined();
  });
});

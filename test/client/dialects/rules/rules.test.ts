import { describe, expect, test } from 'vitest';
import {
  dimensionOf,
  EVERYWHERE,
  type Family,
  FAMILIES,
  type FieldRule,
} from '../../../../src/client/dialects/field-rule.ts';
import { interpretFields } from '../../../../src/client/dialects/decoded-answer.ts';
import { RULES, RuleSet } from '../../../../src/client/dialects/rule-set.ts';
import { INTERFACE_KEYS } from '../../../../src/client/dialects/family.ts';
import { MODE_NAMES, MODE_WORDS } from '../../../../src/client/dialects/rules/state-rules.ts';
import { parseUnit } from '../../../../src/client/dialects/unit.ts';
import { QUANTITIES, WORKING_MODES } from '../../../../src/model/readings.ts';

/** Field notes 3.1: power. */
const POWER_KEYS = [
  ['pvInputPower', 'pv2InputPower', 'pvPower', 'pv1Power', 'pv2Power', 'pv3Power', 'pv4Power'],
  ['PV1ChargingPower', 'PV2ChargingPower', 'pv1RealTimePower', 'pv2RealTimePower'],
  ['generationPower', 'solarPower'],
  ['acOutputActivePower', 'outputActivePower', 'load_power', 'totalLoadPower', 'outputPower'],
  ['offGridPortTotalPower', 'loadPower'],
  ['outputApparentPower', 'outputLoadPercent', 'loadPercentage'],
  ['aPhaseMainsPower', 'bPhaseMainsPower', 'cPhaseMainsPower', 'GridPower', 'mainsPower'],
  ['mainsCurrentFlowDirection', 'aPhaseFeederPower', 'totalActivePowerOfTheElectricMeter'],
  ['inputMainsPower', 'mainsInputRealTimePower', 'gridConnectedPower'],
  ['feedInPower', 'gridFeedInPower', 'feedInActivePower', 'acFeedInPower', 'feedbackPower'],
  ['gridExportPower', 'exportPower', 'onGridPower', 'batteryPower'],
].flat();

/** Field notes 3.2: battery. */
const BATTERY_KEYS = [
  ['batterySOC', 'soc', 'batteryCapacity', 'batteryPercentage', 'bmsSOC', 'bmsCurrentSOC'],
  ['bmsBatterySOC', 'battery_charge_state', 'batteryRemainingCapacitySOC'],
  ['remainingBatteryCapacity', 'lithiumBatteryRemainingCapacity', 'batterySOH', 'gsohAverage'],
  ['batteryVoltage', 'BatteryVoltage', 'bmsBatteryVoltage', 'positiveTerminalBatteryVoltage'],
  ['lithiumBatteryVoltage', 'battery_voltage'],
  ['batteryChargingCurrent', 'bmsChargingCurrent', 'batteryDischargeCurrent'],
  ['bmsDischargingCurrent', 'positiveTerminalBatteryCurrent', 'batteryCurrent'],
  ['lithiumBatteryChargeDischargeCurrent', 'batteryStatus'],
].flat();

/** Field notes 3.3: voltages, frequencies, temperatures. */
const QUALITY_KEYS = [
  ['gridVoltage', 'acInputVoltage', 'l1AcInputVoltage'],
  ['gridFrequency', 'mainsFrequency', 'acInputFrequency', 'aPhaseGridFrequency'],
  ['acOutputVoltage', 'outputVoltage', 'aPhaseOutputVoltage'],
  ['acOutputFrequency', 'outputFrequency'],
  ['pvVoltage', 'pvInputVoltage', 'pvInputVoltage1', 'pv1Voltage', 'PVVoltage', 'PV1InputVoltage'],
  ['pv1Current', 'pv1InputCurrent', 'pv1InputCurrentForBattery', 'busVoltage'],
  ['inverterTemperature', 'inverterHeatSinkTemperature', 'maxHeatSinkTemperature'],
  ['radiatorTemperature', 'ntcMaximumTemperature', 'transformerTemperature', 'pvTemperature'],
  ['boostTemperature', 'mpptTemperature', 'dcdcTemperature', 'bmsMosTemperature'],
  ['cellTemperature1', 'cellTemperature2', 'cellTemperature3'],
].flat();

/** Field notes 3.4: energy. */
const ENERGY_KEYS = [
  ['pvGeneratedEnergyOfDay', 'tqfDailyElectricityGeneration', 'pvGeneratedEnergyOfTotal'],
  ['totalPVGeneratedEnergy', 'totalPvPowerGeneration', 'totalPowerGeneration'],
  ['tqfTotalElectricityGeneration', 'pvMonthlyPowerGeneration', 'pvAnnualPowerGeneration'],
  ['tqfMonthlyElectricityGeneration', 'tqfYearlyElectricityGeneration'],
  ['loadDayElectricityConsumption', 'outputTheDailyPowerConsumption'],
  ['dayPurchaseElectricityConsumption', 'totalPurchaseElectricityConsumption'],
  ['totalGridPowerPurchase', 'totalGridPowerSale'],
].flat();

/** Field notes 3.5: modes, settings and texts. */
const STATE_KEYS = [
  ['workingMode', 'workingStates', 'mode', 'chargingStatus', 'chargingPriorityOrder'],
  ['outputSourcePriority', 'chargerSourcePriority', 'firmwareVersion', 'softwareVersion'],
  ['batteryRatingVoltage', 'batteryNumber'],
].flat();

/** Field notes 8.1, by family. */
const LATER_KEYS = {
  hpvinv02: [
    ['mode', 'workingMode', 'chargingPriorityOrder', 'pvEnergyFeedingPriority', 'deviceType'],
    ['generationPower', 'pvPower', 'pv2Power', 'pv2Voltage', 'pv2Current', 'pv2Temperature'],
    ['outputApparentPower', 'load_power', 'bmsCurrentSOC', 'bmsDischargeCurrent'],
    ['bmsCommunicationNormal', 'bmsCommunicationStatus', 'bmsBatteryVoltage'],
  ].flat(),
  techfine: [
    'mode',
    'workingMode',
    'pvPower',
    'outputActivePower',
    'mainsPower',
    'batteryCapacity',
  ],
  'line-interactive': [
    ['workingStates', 'gridState', 'batState', 'mainsRelayStatus', 'generationPower'],
    ['acOutputActivePower', 'bmsBatterySOC', 'bmsBatteryVoltage', 'ntcMaximumTemperature'],
    ['bmsMosTemperature', 'bmsAmbientTemperature', 'maximumTemperatureBmsSingleSection'],
    ['bmsSingleSectionMinimumTemperature', 'bmsBatteryChargingCurrent'],
    ['bmsBatteryDischargeCurrent'],
  ].flat(),
  'mega-eco': [
    ['CTPower', 'pvInputPower', 'pv2InputPower', 'pv3InputPower', 'pv4InputPower'],
    ['acOutputActivePower'],
  ].flat(),
  'a-phase-hybrid': [
    ['batteryCurrent', 'aPhaseFeederPower', 'bPhaseFeederPower', 'cPhaseFeederPower'],
  ].flat(),
  sierro: ['exchangeChargingPower', 'batteryCurrent'],
  msdc: ['generationPower', 'battery_voltage', 'battery_current', 'batteryPower', 'outputPower'],
  uwb1: ['bmsBatteryVoltage'],
} as const satisfies Partial<Record<Family, readonly string[]>>;

const nameOf = ({ key, reads, families }: FieldRule): string =>
  `${key} as ${reads} of ${families.join(' ') || 'any family'}`;

describe('the rules', () => {
  test.each([
    { section: '3.1', keys: POWER_KEYS },
    { section: '3.2', keys: BATTERY_KEYS },
    { section: '3.3', keys: QUALITY_KEYS },
    { section: '3.4', keys: ENERGY_KEYS },
    { section: '3.5', keys: STATE_KEYS },
  ])('know every key of field notes $section', ({ keys }) => {
    const rules = new RuleSet();
    const unknown = keys.filter(
      (key) =>
        rules.resolve(key, { source: 'latest' }, undefined) === 'unknown' &&
        rules.resolve(key, { source: 'flow' }, undefined) === 'unknown',
    );
    expect(unknown).toEqual([]);
  });

  test.each(Object.entries(LATER_KEYS))(
    'know what %s does with every key of 8.1',
    (family, keys) => {
      const rules = new RuleSet();
      const isKnown = (key: string): boolean =>
        EVERYWHERE.some((source) => {
          const context = { source, family: family as Family };
          return typeof rules.resolve(key, context, undefined) !== 'string';
        });
      const unknown = keys.filter((key) => !isKnown(key));
      expect(unknown).toEqual([]);
    },
  );

  test('know the keys of the interface, each as a quantity of its own', () => {
    const rules = new RuleSet();
    const reads = INTERFACE_KEYS.map((key) => {
      const resolved = rules.resolve(key, { source: 'history', family: 'classic' }, undefined);
      return typeof resolved === 'string' ? resolved : resolved.rule.reads;
    });
    expect(reads).toEqual([
      'pvPowerWatts',
      'acOutputPowerWatts',
      'batteryDischargeCurrentAmperes',
      'batteryChargingCurrentAmperes',
      'batteryVoltageVolts',
      'gridFeedInPowerWatts',
      'batterySocRatio',
    ]);
  });

  test('have units of the dimension of what they read', () => {
    const wrong = RULES.filter(({ reads, unit }) => reads !== 'nothing' && unit !== undefined)
      .filter((rule) => parseUnit(rule.unit)?.dimension !== dimensionOf(rule))
      .map(nameOf);
    expect(wrong).toEqual([]);
  });

  test('have units that exist where they read nothing', () => {
    const wrong = RULES.filter(({ reads, unit }) => reads === 'nothing' && unit !== undefined)
      .filter(({ unit }) => parseUnit(unit) === undefined)
      .map(nameOf);
    expect(wrong).toEqual([]);
  });

  test('have a dimension for every quantity', () => {
    const dimensions = QUANTITIES.map((reads) => dimensionOf({ reads }));
    expect(dimensions).not.toContain(undefined);
  });

  test('read nothing of a signed quantity whose sign nobody has confirmed', () => {
    const unsigned = RULES.filter(
      ({ reads, positive, directionKey }) =>
        ['gridPower', 'batteryPower', 'batteryCurrent'].includes(reads) &&
        positive === undefined &&
        directionKey === undefined,
    );
    expect(unsigned.length).toBeGreaterThan(0);
    for (const { key, families, reads } of unsigned) {
      const tag = reads === 'batteryCurrent' ? 'A' : 'W';
      const sample = { key, tag, number: { value: 5 }, text: { value: '5' } };
      const context = { source: 'latest', family: families[0] } as const;
      const [field] = interpretFields([sample], context, new RuleSet());
      expect(field).toMatchObject({ verdict: 'sign unconfirmed' });
      expect(field?.value).toBeUndefined();
    }
  });

  test('know what a positive value of theirs means, or have no sign at all', () => {
    const meanings: Readonly<Record<string, readonly string[]>> = {
      gridPower: ['import', 'feed-in'],
      batteryPower: ['discharging', 'charging'],
      batteryCurrent: ['discharging', 'charging'],
    };
    const wrong = RULES.filter(
      ({ reads, positive }) =>
        positive !== undefined && meanings[reads]?.includes(positive) !== true,
    );
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test('find the direction of a power under a key that is read as one', () => {
    const directions = RULES.flatMap(({ directionKey }) => directionKey ?? []);
    expect(directions.length).toBeGreaterThan(0);
    for (const directionKey of directions)
      expect(RULES.find(({ key }) => key === directionKey)?.reads).toBe('gridDirection');
  });

  test('contradict each other in no family', () => {
    const contradictions: string[] = [];
    RULES.forEach((rule, index) => {
      for (const other of RULES.slice(index + 1)) {
        const shared = rule.families.filter((family) => other.families.includes(family));
        const isOfAll = rule.families.length === 0 || other.families.length === 0;
        const isSame =
          rule.reads === other.reads && rule.part === other.part && rule.unit === other.unit;
        if (
          !isSame &&
          rule.key.toLowerCase() === other.key.toLowerCase() &&
          (shared.length > 0 || isOfAll) &&
          rule.sources.some((source) => other.sources.includes(source)) &&
          rule.reads !== 'nothing' &&
          other.reads !== 'nothing'
        )
          contradictions.push(`${nameOf(rule)}, ${nameOf(other)}`);
      }
    });
    expect(contradictions).toEqual([]);
  });

  test('are of families that there are, and each family has some', () => {
    expect(new Set(RULES.flatMap(({ families }) => families))).toEqual(new Set(FAMILIES));
  });

  test('name a part where a quantity has several, and nowhere else', () => {
    const parted = ['stringPowerWatts', 'stringVoltageVolts', 'stringCurrentAmperes'];
    const always = [...parted, 'temperatureCelsius'];
    const sometimes = ['gridPower', 'batteryTemperatureCelsius'];
    const wrong = RULES.filter(({ reads, part }) =>
      part === undefined ? always.includes(reads) : ![...always, ...sometimes].includes(reads),
    );
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test('name modes that the exporter has', () => {
    expect(new Set(MODE_NAMES.values())).toEqual(new Set(WORKING_MODES));
    expect(new Set(MODE_WORDS.values())).toEqual(new Set(WORKING_MODES));
  });
});

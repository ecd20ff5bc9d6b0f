/** The code of an expired or invalid access token, inside an HTTP 200 (field notes 4.1). */
export const TOKEN_EXPIRED_CODE = '9';
/** The code for a model without an energy flow: asking again never helps (field notes 4.1). */
export const NO_ENERGY_FLOW_CODE = '70132';

const EXPLANATIONS: Readonly<Record<string, string>> = {
  '7': 'the password was not accepted',
  [TOKEN_EXPIRED_CODE]: 'the access token has expired',
  '36': 'the application id is missing or was not accepted',
  '44': 'the signature was not accepted; check the application id and secret',
  '20007': 'the account is not known, or belongs to another environment than the application id',
  '20101': 'an argument was not accepted, such as an id or a time zone',
  '70021': 'the device was asked for its settings a moment ago; wait a minute and try again',
  [NO_ENERGY_FLOW_CODE]: 'the service has no energy flow for this model',
  '70134': 'this device has no such setting',
  '71000': 'the device is offline',
  '71301': 'the device did not answer',
};

/** What a code of the service means, in our words; absent for codes nobody has described. */
export function explainServiceCode(code: string): string | undefined {
  return Object.hasOwn(EXPLANATIONS, code) ? EXPLANATIONS[code] : undefined;
}

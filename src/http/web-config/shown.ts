import { quote } from '../../shown.ts';

/** Says whether a text is, by its looks, a key, a certificate or the hash of a password. */
function isDelicate(text: string): boolean {
  return /-----BEGIN|\$2[a-z]?\$/.test(text) || text.includes('\n');
}

/** Shows a text of the file inside a sentence: escaped, cut to 60 characters, and never what looks like a secret. */
export function shown(text: string): string {
  if (isDelicate(text)) return 'its value';
  return quote(text);
}

/** Shows a key of the file: as it is, unless it could be anything but a name. */
export function shownKey(key: string): string {
  if (/^[\w.-]{1,60}$/.test(key)) return key;
  // Without a blank after its colon, a value is part of the key.
  return isDelicate(key) ? '[hidden]' : shown(key.replace(/:.*$/s, ':…'));
}

/**
 * Cuts what CHANGELOG.md says of one version, without its heading.
 *
 * @param {string} changelog the text of the file, in the form of Keep a Changelog
 * @param {string} version such as 1.2.3
 * @param {string} home the address of the repository at the tag, for the links that lead to its files
 * @returns {string | undefined} undefined when it says nothing of the version
 */
export function notesOf(changelog, version, home) {
  const [, ...sections] = changelog.split(/^## /m);
  const own = sections.find((section) => section.startsWith(`[${version}]`));
  if (own === undefined) return undefined;
  const [, ...lines] = own.split('\n');
  const text = lines
    // Where links that the text refers to are listed, the sections have ended.
    .filter((line) => !/^\[[^\]]+\]: /.test(line))
    .join('\n')
    .trim();
  // The notes stand on a page of their own, from which a path of the repository leads nowhere.
  const linked = text.replace(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, `](${home}/$1)`);
  return linked === '' ? undefined : `${linked}\n`;
}

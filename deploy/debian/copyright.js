// Adds a paragraph for each library to the copyright file on standard input, from its package.json and its licence.
//
//   node copyright.js PROGRAM < copyright
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';

const [, , program] = process.argv;

/** The folders of all libraries below a folder, those inside others included. */
function librariesOf(folder) {
  const inside = join(folder, 'node_modules');
  if (!existsSync(inside)) return [];
  const names = readdirSync(inside).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(inside, name)).map((own) => join(name, own)) : [name],
  );
  const libraries = names.map((name) => join(inside, name));
  return libraries.flatMap((library) => [library, ...librariesOf(library)]);
}

/** A paragraph of the machine-readable format; the licence itself is beside the library. */
function paragraph(folder) {
  const { author, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  const holders = text.match(/^\W*copyright\W+(\(c\)|©)?.*\d{4}.*$/gim) ?? [];
  const whose = holders.map((line) => line.replace(/^\W+/, '').trim()).join('\n ');
  const path = `/usr/lib/solar-exporter/${relative(program, folder)}`;
  return `Files: .${path}/*
Copyright: ${whose || (author?.name ?? author ?? 'its authors')}
License: ${license}
 ${file === undefined ? 'The package has no text of it.' : `The text is in ${path}/${file}.`}
`;
}

process.stdout.write(readFileSync(0, 'utf8'));
for (const folder of librariesOf(program).sort()) process.stdout.write(`\n${paragraph(folder)}`);

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  // A column whose cells are all empty says nothing.
  const shown = columns.flatMap((_column, at) => (rows.some((row) => row[at]) ? [at] : []));
  const line = (cells: readonly string[]) =>
    `|${shown.map((at) => ` ${cells[at]?.replaceAll('|', '\\|') ?? ''} `).join('|')}|`.replaceAll(
      /\| {2}(?=\|)/g,
      '| ',
    );
  const head = [line(columns), `|${shown.map(() => '---|').join('')}`];
  return `${[...head, ...rows.map(line)].join('\n')}\n`;
}

/** What is code in a description, which has no marks. */
const CODE =
  /\bnull\b|^true\b|\bfalse(?=:)|\[redacted\]|\b(?:GET|PUT|POST|PATCH|DELETE) \/[\w/]+|\bMOMO_MOCK_\w+|\bNODE_\w+=\S+\w|\berrors\/\w+|\bhttps?:\/\/(?:[\w.:/-]*[\w/])?|(?<=such as )\/[\w/:]+\w|\bETag\b|\bIf-Match\b|\{[^}]+\}|--[a-z-]+|\b[a-z]+[A-Z]\w+/g;

export function prose(description: string): string {
  return description.replaceAll(CODE, code).replaceAll(/'(`[^`]*`)'/g, '$1');
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

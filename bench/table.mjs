/** A table as Markdown. A cell that is missing is empty. */
export function markdownTable(head, rows) {
  const line = (cells) => `|${cells.map((cell) => ` ${escaped(cell)}`.trimEnd()).join(' |')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function escaped(cell) {
  return `${cell ?? ''}`.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}

/** A number with three figures that count, and commas by thousands; '' where there is none. */
export function shown(number) {
  if (number === undefined) return '';
  if (Math.abs(number) >= 100) return Math.round(number).toLocaleString('en');
  return Number(number.toPrecision(3)).toString();
}

/** A ratio, to hundredths as long as these count. */
export function shownRatio(number) {
  return number === undefined || number >= 10 ? shown(number) : number.toFixed(2);
}

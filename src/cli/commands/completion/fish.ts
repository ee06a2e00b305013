import type { CommandWords, OptionWords } from './words.ts';

/** Completion for fish 3.2 and later. */
export const fishCompletion = (
  commands: readonly CommandWords[],
): string => `# In ~/.config/fish/config.fish: notes completion fish | source
complete -c notes -f
${commands.flatMap(linesOf).join('\n')}
`;

const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;

function linesOf({ names, description, options, argument }: CommandWords): string[] {
  const isHere = `complete -c notes -n ${quoted(`__fish_seen_subcommand_from ${names.join(' ')}`)}`;
  return [
    `complete -c notes -n __fish_use_subcommand -a ${quoted(names.join(' '))} -d ${quoted(description)}`,
    ...options.map((option) => `${isHere} ${optionOf(option)}`),
    ...argumentOf(argument, names).map((rest) => `${isHere} ${rest}`),
  ];
}

function optionOf({ flags, description, value }: OptionWords): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const values = { none: [], text: ['-x'], file: ['-r', '-F'] } as const;
  const rest = typeof value === 'string' ? values[value] : ['-x', '-a', quoted(value.join(' '))];
  return [...names, ...rest, '-d', quoted(description)].join(' ');
}

function argumentOf(argument: CommandWords['argument'], names: readonly string[]): string[] {
  if (argument === 'files') return ['-F'];
  if (argument !== 'notes') return argument.length > 0 ? [`-a ${quoted(argument.join(' '))}`] : [];
  const flags = names.includes('unarchive') ? ' --archived' : '';
  return [`-k -a ${quoted(`(command notes list --limit 500${flags} 2>/dev/null | cut -f 1,2)`)}`];
}

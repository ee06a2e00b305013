/** Adds lines of comments below a command. A text of several lines becomes as many comments. */
export const formatCommandThenComments = (command: string, comments: readonly string[]): string =>
  comments.length === 0
    ? command
    : [command.replace(/\n$/, ''), ...comments.map((text) => `# ${text.replace(/\r\n|[\r\n]/g, '\n# ')}`)].join('\n');

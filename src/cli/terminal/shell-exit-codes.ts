/** The exit code of a shell that does not find the command. */
export const unknownCommandExitCode = 127;

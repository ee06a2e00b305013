import { placeholderOf } from './placeholder.ts';

const argument = /(?<!\$)\{argument((?: +\w+=(?:"[^"]*"|[^\s"{}|]+))+) *\}/g;
const attribute = /(\w+)=(?:"([^"]*)"|(\S+))/g;

/**
 * Replaces Raycast's `{argument name="x" default="y" options="y, z"}` by `{{x=y|z}}`. Stay as written: arguments
 * without a name, with modifiers, or with values that a placeholder cannot contain.
 */
export const withArguments = (text: string): string =>
  text.replaceAll(argument, (whole, list: string) => {
    const { name, default: preset, options, ...others } = attributesIn(list);
    const choices = options?.split(',').map((option) => option.trim()) ?? [];
    const isKnown = preset === undefined || options === undefined || choices.includes(preset);
    if (name === undefined || !isKnown || Object.keys(others).length > 0) return whole;
    const rest = choices.filter((choice) => choice !== preset);
    return placeholderOf(name, preset === undefined ? choices : [preset, ...rest]) ?? whole;
  });

const attributesIn = (list: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Array.from(list.matchAll(attribute), ([, name, quoted, plain]) => [name, quoted ?? plain]));

/** Runs before the first paint, so that a chosen theme does not flash. */
import { chosenTheme, showTheme } from './state/themes.ts';

showTheme(chosenTheme());

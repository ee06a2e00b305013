import { watchMediaQuery } from './layout.ts';

/** Whether fingers are what points, so that keys are probably those of the screen: they have no Shift+Enter. */
export const isTouchScreen = watchMediaQuery('(pointer: coarse)');

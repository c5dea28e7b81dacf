/** Codes of an app are of its device's time: half a minute beside it is taken, more is not. */
export const clockHint = 'Is the clock of the device with your app right?'

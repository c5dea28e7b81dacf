import type { Plugin } from 'vite'

/** Mantine's colours that no screen names. */
export const unnamed = ['pink', 'grape', 'violet', 'indigo', 'blue', 'cyan', 'green', 'lime', 'teal']

const shades = new RegExp(`\\s*--mantine-color-(?:${unnamed.join('|')})-[\\w-]+:[^;]*;`, 'g')

/** Each screen waits until all shades of all colours are parsed, light and dark. */
export const namedColours = (): Plugin => ({
  name: 'named-colours',
  apply: 'build',
  transform: {
    filter: { id: /\/web\/base\.css$/ },
    handler: (code) => ({ code: code.replaceAll(shades, ''), map: null }),
  },
})

import { buildOnce } from './build-once.ts'
import { launch, run } from './children.ts'

const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', 'web/vite.config.ts']

/** Builds the app into .build/web, unless the build there has the same sources. */
export const buildWeb = () =>
  // It imports contracts and domain from the worker.
  buildOnce('web', ['web', 'worker'], async () => {
    console.log('Building the app …')
    // A caller, such as a test, may have set another NODE_ENV.
    await run('vite build', vite, { NODE_ENV: 'production' })
  })

export function watchWeb() {
  launch([...vite, '--watch'], { NODE_ENV: 'production' }, (line) => {
    if (/error|built in/i.test(line)) console.log(`web: ${line}`)
  })
}

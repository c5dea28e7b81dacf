import { useSignals } from '@preact/signals-react/runtime'
import { lazy, useEffect, type ReactNode } from 'react'
import { useMatches } from 'react-router-dom'
import { findAction, keyDialog } from '../ui/keys'
import { LazyPart } from '../ui/lazy-part'

const KeysDialog = lazy(() => import('./keys-dialog').then((file) => ({ default: file.KeysDialog })))

type Palette = (close: () => void) => ReactNode

export function Keyboard() {
  useSignals()
  const palette = usePalette()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = findAction(event)
      if (action && action() !== false) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      keyDialog.value = null
    }
  }, [])
  const close = () => {
    keyDialog.value = null
  }
  return (
    <LazyPart key={keyDialog.value} onLost={close}>
      {keyDialog.value === 'keys' && <KeysDialog onClose={close} />}
      {keyDialog.value === 'palette' && palette?.(close)}
    </LazyPart>
  )
}

/** The layout may not import features, so the router hands it the palette. */
function usePalette() {
  const handles = useMatches().map(({ handle }) => (handle ?? {}) as { palette?: Palette })
  return handles.find(({ palette }) => palette)?.palette
}

import { useEffect, useState } from 'react'
import { findOpener } from '../lib/held-focus'

/** For a dialog that is open as long as it exists: its opener has the focus again when it is gone. */
export function useFocusBack() {
  const [opener] = useState(findOpener)
  useEffect(
    () => () => {
      setTimeout(() => {
        const isLost = document.activeElement === document.body
        if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
      })
    },
    [opener],
  )
}

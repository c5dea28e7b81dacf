import { useEffect, useState } from 'react'
import { findPlace, focusPlace } from '../lib/held-focus'

/** For a dialog that is open as long as it exists: its opener, or where that stood, has the focus again when it is gone. */
export function useFocusBack() {
  const [place] = useState(findPlace)
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement === document.body) focusPlace(place)
      })
    },
    [place],
  )
}

/** For the inside of a dialog that exists while it is closed. */
export function FocusBack() {
  useFocusBack()
  return null
}

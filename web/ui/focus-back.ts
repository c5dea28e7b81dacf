import { useEffect, useState } from 'react'
import { findPlace, focusPlace } from '../lib/held-focus'

/** For a dialog that is open as long as it exists: its opener, or where that stood, has the focus again when it is gone. */
export function useFocusBack() {
  const [place] = useState(findPlace)
  useEffect(
    () => () => {
      setTimeout(() => {
        const { activeElement: focused, body } = document
        // An element around the opener has the focus where the dialog was slow to go.
        if (focused === body || focused?.contains(place[0] ?? null)) focusPlace(place)
      })
    },
    [place],
  )
}

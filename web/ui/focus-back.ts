import { useEffect, useState } from 'react'

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

/** An item leaves with its menu: the button of the menu stays. */
function findOpener() {
  const { activeElement } = document
  const button = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return (button && document.getElementById(button)) || activeElement
}

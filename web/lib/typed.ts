let typedAt: string | undefined

/** Notes on which page somebody fills in a form. */
export const watchForms = () => {
  for (const kind of ['input', 'click'] as const)
    document.addEventListener(
      kind,
      ({ target }) => {
        if (target instanceof Element && target.closest('form, [role=listbox]')) typedAt = location.pathname
      },
      true,
    )
}

export const hasTyped = () => typedAt === location.pathname

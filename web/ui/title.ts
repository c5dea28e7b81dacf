let [page, mark] = ['', '']

const write = () => {
  document.title = `${mark}${page ? `${page} · ` : ''}Earshot`
}

export function setPageTitle(title: string) {
  page = title
  write()
}

/** The number of what is unread, before the title of whichever page is open. */
export function setTitleMark(unread: string) {
  mark = unread && `(${unread}) `
  write()
}

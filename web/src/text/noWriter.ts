/** Stands for the writer of Markdown that comes with its parser's extensions. */
export const defaultHandlers = {};

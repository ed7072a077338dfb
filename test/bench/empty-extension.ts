/** An extension that does nothing: what Pi's start takes with any extension at all. */
export default function empty(): void {}

// Package page is the page of nest page, on which one can watch a cuckoo filter: all that it does but the drawing of
// controls.
//
// The filter on the page is the one of this module, compiled to WebAssembly together with this package. An [App] takes
// commands, which are words, and answers with what is to be shown, by the name of the place: sentences in English or
// Chinese (words.txt), and pictures in SVG, which package trace draws as it does for nest trace. Nothing here needs a
// browser, so that tests can do all that a reader of the page does. The folder wasm has the program around an App.
// Package site has what a browser loads, a document and a script that hands clicks to the App and puts its answers in
// their places, and packs and serves all of it.
package page

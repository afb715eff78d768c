// The order of search results: a word in a title counts more than one in the text. Among equals, the reference of
// all settings comes first and the changelog last.
const FIRST = { configuration: 1, changelog: -4 };
var Scorer = {
  score: ([page, , , , score]) => score + (FIRST[page] ?? 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

// Runs before the page's modules, in old syntax: a browser that lacks what they need gets a sentence instead of a blank page.
(function () {
  var root = document.getElementById('root');
  var needs = [
    ['WebAssembly', typeof WebAssembly === 'object'],
    ['workers', typeof Worker === 'function'],
    ['JavaScript modules', 'noModule' in document.createElement('script')],
    ['JavaScript as of 2023 (ES2023)', typeof Array.prototype.toSorted === 'function'],
    ['ResizeObserver', typeof ResizeObserver === 'function'],
    ['the Popover API', typeof HTMLElement.prototype.showPopover === 'function'],
    ['CompressionStream', typeof CompressionStream === 'function']
  ];
  var missing = [];
  var i;
  for (i = 0; i < needs.length; i++) if (!needs[i][1]) missing.push(needs[i][0]);
  if (missing.length === 0) return;
  var last = missing.pop();
  var names = missing.length > 0 ? missing.join(', ') + ' and ' + last : last;
  var page = document.createElement('main');
  page.id = 'unsupported';
  var notice = document.createElement('div');
  notice.setAttribute('role', 'alert');
  page.appendChild(notice);
  var add = function (tag, text) {
    var element = document.createElement(tag);
    element.appendChild(document.createTextNode(text));
    notice.appendChild(element);
  };
  add('h1', 'Busyard cannot run in this browser');
  var them = missing.length > 0 ? 'them' : 'it';
  add('p', 'This browser lacks ' + names + ', or its settings switch ' + them + ' off.');
  add('p', 'Busyard runs in ' + root.getAttribute('data-browsers') + '.');
  add('p', 'Work that was saved here stays in this browser.');
  // Without the root the modules, where they run at all, start nothing.
  root.parentNode.replaceChild(page, root);
})();

// Writes protocol.json, the types of the Debug Adapter Protocol that protocol.py checks messages against, from the
// declarations that Microsoft publishes:
//
//   npm install --prefix FOLDER --ignore-scripts @vscode/debugprotocol@1.68.0 typescript@5
//   NODE_PATH=FOLDER/node_modules node tests/debug/protocol_types.js [--check]
//
// A type is "string", "number", "boolean" or "any", {"literal": TEXT}, {"array": TYPE}, {"map": TYPE},
// {"union": [TYPE, ...]}, {"ref": NAME}, or {"extends": [NAME, ...], "fields": {NAME: TYPE}}; an optional field's name
// ends with "?".
'use strict';
const fs = require('fs');
const path = require('path');
const ts = require('typescript');

const PACKAGE = path.dirname(require.resolve('@vscode/debugprotocol/package.json'));
const VERSION = JSON.parse(fs.readFileSync(path.join(PACKAGE, 'package.json'), 'utf8')).version;
const OUTPUT = path.join(__dirname, 'protocol.json');
const KEYWORDS = { [ts.SyntaxKind.StringKeyword]: 'string', [ts.SyntaxKind.NumberKeyword]: 'number',
                   [ts.SyntaxKind.BooleanKeyword]: 'boolean', [ts.SyntaxKind.AnyKeyword]: 'any' };

function fieldsOf(members) {
  return Object.fromEntries(members.filter(ts.isPropertySignature).map((member) => [
    member.name.text + (member.questionToken ? '?' : ''), typeOf(member.type)]));
}

function typeOf(node) {
  if (KEYWORDS[node.kind]) return KEYWORDS[node.kind];
  if (ts.isArrayTypeNode(node)) return { array: typeOf(node.elementType) };
  if (ts.isParenthesizedTypeNode(node)) return typeOf(node.type);
  if (ts.isUnionTypeNode(node)) return { union: node.types.map(typeOf) };
  if (ts.isTypeReferenceNode(node)) return { ref: node.typeName.getText() };
  if (ts.isLiteralTypeNode(node))
    return node.literal.kind === ts.SyntaxKind.NullKeyword ? 'null' : { literal: node.literal.text };
  const index = ts.isTypeLiteralNode(node) && node.members.find(ts.isIndexSignatureDeclaration);
  if (index) return { map: typeOf(index.type) };
  if (ts.isTypeLiteralNode(node)) return { extends: [], fields: fieldsOf(node.members) };
  throw new Error(`no rule for ${node.getText()}`);
}

function declared(node) {
  if (ts.isTypeAliasDeclaration(node)) return typeOf(node.type);
  const bases = (node.heritageClauses || []).flatMap((clause) => clause.types.map((type) => type.expression.getText()));
  return { extends: bases, fields: fieldsOf(node.members) };
}

const file = path.join(PACKAGE, 'lib/debugProtocol.d.ts');
const tree = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
const declarations = tree.statements.find(ts.isModuleDeclaration).body.statements
  .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node));
const rows = declarations.map((node) => ` ${JSON.stringify(node.name.text)}: ${JSON.stringify(declared(node))}`);
const text = `{\n "version": ${JSON.stringify(VERSION)},\n${rows.join(',\n')}\n}\n`;
if (!process.argv.includes('--check')) fs.writeFileSync(OUTPUT, text);
else if (fs.readFileSync(OUTPUT, 'utf8') !== text) throw new Error(`${OUTPUT} differs from version ${VERSION}`);

import type { RuleCue } from './cue.ts'

const DE_ACT =
  '(?:verwende|nutze|benutze?|nimm|ändere?|lösche?|fasse?|rühre?|schreibe?|füge?|installiere|pushe?|committe?|commite?|laufe?|führe?|starte?|baue?|mache?|teste?|refaktoriere|importiere|kommentiere|erfinde|überschreibe|benenne?|verschiebe?|entferne|merge|deploye|erstelle?|lege?|setze?|gib|lasse?|frage?|arbeite|halte?|bleibe?|beschränke?|antworte|ergänze|formatiere|rufe?|prüfe?|bearbeite|korrigiere|behebe|implementiere|ersetze|repariere)'
const DE_INFINITIVE =
  '(?:verwenden|nutzen|benutzen|nehmen|ändern|löschen|anfassen|anrühren|schreiben|hinzufügen|installieren|pushen|committen|ausführen|laufen lassen|starten|bauen|machen|testen|refaktorieren|importieren|erfinden|überschreiben|umbenennen|verschieben|entfernen|mergen|deployen|erstellen|anlegen|setzen|fragen|arbeiten|bearbeiten|verändern|rebasen|einchecken|mocken|formatieren)'
const FR_ACT =
  '(?:utilise[zs]?|emploie|touche[zs]?|modifie[zs]?|change[zs]?|supprime[zs]?|efface[zs]?|ajoute[zs]?|écri[st]|écrivez|installe[zs]?|lance[zs]?|exécute[zs]?|pousse[zs]?|commite?[zs]?|fai[st]|faites|met[sz]?|mettez|mets|crée[zs]?|laisse[zs]?|garde[zs]?|demande[zs]?|réponds|répondez|travaille[zs]?|limite[zs]?|teste[zs]?|corrige[zs]?|importe[zs]?|renomme[zs]?|déplace[zs]?|fusionne[zs]?|déploie|prends|prenez|respecte[zs]?|suis|suivez|implémente[zs]?|refactorise[zs]?|remplace[zs]?|invente[zs]?|vérifie[zs]?|reste[zs]?|oublie[zs]?)'
const ES_ACT =
  '(?:usa|utiliza|emplea|toca|modifica|cambia|borra|elimina|añade|agrega|escribe|instala|ejecuta|corre|sube|haz|pon|crea|deja|mantén|pregunta|responde|trabaja|limita|prueba|corrige|importa|renombra|mueve|fusiona|despliega|toma|respeta|sigue|implementa|refactoriza|reemplaza|revisa|arregla|edita|actualiza)'
const ES_FORBIDDEN =
  '(?:uses|utilices|emplees|toques|modifiques|cambies|borres|elimines|añadas|agregues|escribas|instales|ejecutes|corras|subas|hagas|pongas|crees|dejes|preguntes|respondas|trabajes|pruebes|corrijas|importes|renombres|muevas|fusiones|despliegues|tomes|implementes|refactorices|reemplaces|inventes|edites|actualices|commitees|pushees|olvides|rompas|reescribas|mezcles|generes|formatees)'

export const GERMAN: readonly RuleCue[] = [
  {
    kind: 'correction',
    pattern:
      /^nein[,.!:;]* (?:bitte )?(?:nimm|verwende|nutze|benutze?|das|es|die|der|nicht|wir|mach|immer|nur|lass|schreib)/,
  },
  {
    kind: 'correction',
    pattern:
      /\bhöre? auf\b|\bich (?:habe?|hatte) (?:\w+ )?(?:doch |schon |bereits )*gesagt\b|\b(?:nicht|kein\w*) .{1,60}, sondern\b/,
  },
  {
    kind: 'never',
    needs: /\bnie/,
    pattern: new RegExp(
      `(?<!noch )\\b(?:nie|niemals)\\b.*\\b${DE_INFINITIVE}\\b|\\b${DE_ACT}\\b.*(?<!noch )\\b(?:nie|niemals)\\b|\\b(?:wir|du|man)\\b.*\\b(?:nie|niemals)\\b`,
    ),
    isStatement: true,
  },
  {
    kind: 'dont',
    needs: /nicht|kein/,
    pattern: new RegExp(
      `^(?:und |aber |auch |bitte |also )*(?:${DE_ACT}\\b.*\\b(?:nicht|nichts|kein(?:e|en|er|em)?)\\b|(?:nicht|kein(?:e|en|er|em)?) .*\\b${DE_INFINITIVE}\\b)|\\bbitte (?:nicht|keine?n?)\\b`,
    ),
  },
  {
    kind: 'dont',
    pattern:
      /^keine?n? (?!ahnung|problem|sorge|angst|zeit|änderung)(?:[\p{L}-]+ ){0,4}[\p{L}-]+(?!.*\b(?:ist|sind|hat|gefunden|vorhanden|mehr da)\b)/u,
    maxWords: 9,
  },
  {
    kind: 'dont',
    pattern:
      /\b(?:du|man|wir|es|tests?|der agent) (?:\p{L}+ ){0,4}?(?:darfst|darf|dürfen|sollst|soll|sollen|sollte|sollten) (?:\p{L}+ ){0,6}?(?:nicht|kein\w*|nie|niemals|nur)\b|\bdarf (?:\p{L}+ ){0,6}nicht\b/u,
    isStatement: true,
  },
  { kind: 'dont', pattern: /^lasse? .{2,60}\b(?:in ruhe|unverändert|unangetastet|so,? wie)/ },
  {
    kind: 'always',
    needs: /immer/,
    pattern: new RegExp(
      `\\bimmer\\b(?! (?:noch|wieder)).*\\b(?:${DE_INFINITIVE}|${DE_ACT})\\b|\\b${DE_ACT}\\b.*\\bimmer\\b(?! (?:noch|wieder))`,
    ),
  },
  {
    kind: 'always',
    pattern:
      /^(?:ab (?:jetzt|sofort)|künftig|in zukunft|grundsätzlich|von jetzt an|merke? dir|denke? (?:immer )?daran|vor jedem|nach jedem|vor jeder|nach jeder|bei jedem|bei jeder|für jede)\b/,
  },
  {
    kind: 'only',
    needs: /nur|ausschließlich|lediglich/,
    pattern: new RegExp(
      `^(?:bitte |und |aber )*(?:${DE_ACT}\\b.*\\b(?:nur|ausschließlich|lediglich)\\b|(?:nur|ausschließlich)\\b.*\\b(?:${DE_INFINITIVE}|${DE_ACT})\\b)|\\bnur (?:dann|wenn|nach)\\b.*\\b${DE_INFINITIVE}\\b`,
    ),
  },
  {
    kind: 'must',
    pattern: /\b(?:alle|jede\p{L}*|tests?|wir|du|es|das|die|der|sie)\b.*\b(?:muss|müssen|musst)\b(?!.*\bwohl\b)/u,
    isStatement: true,
  },
  {
    kind: 'make-sure',
    pattern:
      /\b(?:stelle? (?:bitte )?sicher|achte (?:bitte )?(?:darauf|auf)|passe? auf, dass|vergiss nicht|sorge? dafür)\b/,
  },
  {
    kind: 'instead',
    needs: /statt|anstelle/,
    pattern: new RegExp(
      `\\b${DE_ACT}\\b.*\\b(?:statt|anstatt|anstelle)\\b|\\b(?:statt|anstatt|anstelle)\\b.*\\b(?:${DE_ACT}|${DE_INFINITIVE})\\b`,
    ),
  },
  { kind: 'without', needs: /ohne/, pattern: new RegExp(`^(?:bitte )?${DE_ACT}\\b.*\\bohne\\b`) },
  {
    kind: 'preference',
    pattern:
      /\bich (?:bevorzuge|möchte,? dass|will,? dass|hätte gern|mag)\b|^wir (?:verwenden|nutzen|benutzen|schreiben|arbeiten|testen)\b|^frage? (?:mich )?(?:vorher|bevor|zuerst|immer)\b/,
    isStatement: true,
  },
]

export const FRENCH: readonly RuleCue[] = [
  {
    kind: 'correction',
    needs: /^non/,
    pattern: new RegExp(`^non[,.!:;]* (?:il faut|ne |n'|pas |on |c'est|ça doit|toujours|je veux|${FR_ACT}\\b)`),
  },
  {
    kind: 'correction',
    pattern:
      /\b(?:arrête(?:z)?|cesse(?:z)?) d(?:e |')|\bj(?:e t'|e vous |')ai (?:déjà )?dit\b|\bpas .{1,60},? mais (?:plutôt )?(?:le|la|les|un|une|avec|dans|sur|\S+$)/,
  },
  {
    kind: 'never',
    needs: /jamais/,
    pattern: new RegExp(`\\b(?:ne|n')\\s?.{1,40}\\bjamais\\b|\\bjamais (?:de|d'|d’|${FR_ACT})`),
    isStatement: true,
  },
  {
    kind: 'dont',
    needs: /\b(?:pas|plus|rien|aucun\w*|jamais)\b/,
    pattern: new RegExp(
      `^(?:et |mais |s'il te plaît,? |stp,? |merci de )*(?:ne |n')(?:(?:le|la|les|y|en|me|te|l') ?)?(?:${FR_ACT}|\\p{L}+(?:er|ir|re)|pas)\\b.{0,80}?\\b(?:pas|plus|rien|aucun\\w*)\\b|^ne (?:pas|jamais|plus) \\p{L}+(?:er|ir|re)\\b`,
      'u',
    ),
  },
  {
    kind: 'dont',
    pattern:
      /^(?:surtout )?pas de (?!problème|souci|quoi|panique)[\p{L}`'-]+|^aucun\p{L}* (?!idée|problème|souci)[\p{L}`'-]+(?!.*\b(?:est|sont|trouvé\p{L}*)\b)/u,
    maxWords: 12,
  },
  {
    kind: 'dont',
    pattern:
      /\b(?:tu|vous|on|il|elle) ne (?:dois|devez|doit|faut|peux|peut) (?:pas|jamais|plus)\b|\bil ne faut (?:pas|jamais)\b|\b(?:est|sont) interdite?s?\b|^évite(?:z)? (?:de |d'|les? )|^laisse(?:z)? .{2,60} (?:tranquille|intact|tel)/,
    isStatement: true,
  },
  {
    kind: 'always',
    needs: /toujours/,
    pattern: new RegExp(
      `\\b${FR_ACT} (?:\\S+ ){0,4}toujours\\b|^toujours \\p{L}+(?:er|ir|re)\\b|^(?:on|nous) \\p{L}+ toujours\\b|\\b(?:dois|devez|doit|doivent|faut) toujours\\b`,
      'u',
    ),
  },
  {
    kind: 'always',
    pattern:
      /^(?:désormais|dorénavant|à partir de maintenant|à l'avenir|avant chaque|après chaque|à chaque|pour chaque|n'oublie(?:z)? pas|rappelle-toi)\b/,
  },
  {
    kind: 'only',
    needs: /\b(?:uniquement|seulement|exclusivement|que)\b/,
    pattern: new RegExp(
      `^(?:s'il te plaît,? )?${FR_ACT}\\b.*\\b(?:uniquement|seulement|exclusivement|que)\\b|^(?:uniquement|seulement)\\b|\\bne ${FR_ACT} que\\b`,
    ),
    maxWords: 30,
  },
  {
    kind: 'must',
    pattern:
      /\b(?:tous|toutes|chaque|les?|la|on|tu|vous|il|elle|ça)\b.*\b(?:dois|doit|devez|doivent|il faut que)\b|^il faut (?:que|toujours|absolument)\b/,
    isStatement: true,
  },
  {
    kind: 'make-sure',
    pattern:
      /\b(?:assure-toi|assurez-vous|veille(?:z)? à|fais attention|faites attention|vérifie(?:z)? (?:bien )?que)\b/,
  },
  {
    kind: 'instead',
    needs: /au lieu d|plutôt qu|à la place d|(?:,| et) pas /,
    pattern: new RegExp(`\\b${FR_ACT}\\b.*(?:\\bau lieu d|\\bplutôt qu|\\bà la place d|(?:,| et) pas )`),
  },
  { kind: 'without', needs: /sans/, pattern: new RegExp(`^(?:s'il te plaît,? )?${FR_ACT}\\b.*\\bsans\\b`) },
  {
    kind: 'preference',
    pattern:
      /\bje (?:préfère|préférerais|veux que|voudrais que|souhaite que|n'aime pas)\b|^(?:ici,? |dans ce projet,? )?(?:on|nous) (?:utilise|utilisons|écrit|écrivons|travaille|préfère)\b|^demande(?:z)?-moi\b/,
    isStatement: true,
  },
]

export const SPANISH: readonly RuleCue[] = [
  {
    kind: 'correction',
    needs: /^no[,.!:;]/,
    pattern: new RegExp(`^no[,.!:;]+ (?:no |eso |debe|debería|quiero|hay que|siempre|solo|en |el |la |${ES_ACT}\\b)`),
  },
  {
    kind: 'correction',
    pattern:
      /\b(?:deja|para) de \p{L}+(?:ar|er|ir)\b|\b(?:ya )?te (?:dije|he dicho|había dicho)\b|\bno .{1,60},? sino\b/u,
  },
  {
    kind: 'never',
    needs: /nunca|jamás/,
    pattern: new RegExp(`\\b(?:nunca|jamás) (?:${ES_FORBIDDEN}|se |\\p{L}+(?:ar|er|ir)\\b|debes?|hay que)`, 'u'),
  },
  {
    kind: 'dont',
    needs: /\bno /,
    pattern: new RegExp(
      `(?:^|[,;:] |\\b(?:y|pero|por favor,?) )no (?:lo |la |los |las |me |le |te )?${ES_FORBIDDEN}\\b`,
    ),
  },
  {
    kind: 'dont',
    pattern:
      /\bno (?:se )?(?:debes?|deben|debe|puedes?|hay que|quiero que|queremos|usamos|permitimos)\b|\b(?:está|están) prohibid\p{L}+|^evita (?:el |la |los |las )?\p{L}+|^sin (?:nuev\p{L}+|más) \p{L}+|^deja .{2,60}(?:en paz|como está|intact)/u,
    isStatement: true,
  },
  {
    kind: 'always',
    needs: /siempre/,
    pattern: new RegExp(
      `\\bsiempre (?:${ES_ACT}|que|debes?|hay que|\\p{L}+(?:ar|er|ir)|se )\\b|\\b${ES_ACT}\\b.{0,40}\\bsiempre\\b`,
      'u',
    ),
  },
  {
    kind: 'always',
    pattern:
      /^(?:de ahora en adelante|a partir de ahora|en adelante|en el futuro|antes de cada|después de cada|en cada|para cada|recuerda|no olvides)\b/,
  },
  {
    kind: 'only',
    needs: /sol[oa]|sólo|únicamente|exclusivamente/,
    pattern: new RegExp(
      `^(?:por favor,? )?(?:(?:solo|sólo|solamente|únicamente) (?:\\p{L}+ )?(?:${ES_ACT}|en|cuando|si)\\b|${ES_ACT}\\b.*\\b(?:solo|sólo|solamente|únicamente|exclusivamente)\\b)`,
      'u',
    ),
  },
  {
    kind: 'must',
    pattern:
      /\b(?:tod[oa]s|cada|el|la|los|las|tienes|hay|se)\b.*\b(?:debes?|deben|tiene que|tienen que)\b|^tienes que\b|^hay que\b/,
    isStatement: true,
  },
  { kind: 'make-sure', pattern: /\b(?:asegúrate|asegúrese|cerciórate|ten cuidado|verifica que|procura)\b/ },
  {
    kind: 'instead',
    needs: /en (?:lugar|vez) de|, no |\by no\b/,
    pattern: new RegExp(`\\b${ES_ACT}\\b.*(?:\\ben (?:lugar|vez) de\\b|, no |\\by no\\b)`),
  },
  { kind: 'without', needs: /\bsin\b/, pattern: new RegExp(`^(?:por favor,? )?${ES_ACT}\\b.*\\bsin\\b`) },
  {
    kind: 'preference',
    pattern:
      /\b(?:prefiero|preferimos|me gusta que|quiero que)\b|^(?:aquí |en este proyecto )?(?:usamos|utilizamos|escribimos)\b|^pregúntame\b|^consulta(?:me)? antes\b/,
    isStatement: true,
  },
]

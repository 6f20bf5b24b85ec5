package dev.weir.config.document;

/** Text of a document in messages: short, and without characters that change how a terminal or a page shows the rest. */
final class Shown {
    static final int MAX_CHARS = 60;
    private static final int MAX_RULE = 400;

    private Shown() {}

    static String of(String text) {
        return clean(text, MAX_CHARS);
    }

    static String rule(String text) {
        return clean(text, MAX_RULE);
    }

    private static String clean(String text, int max) {
        StringBuilder shown = new StringBuilder();
        int end = text.length() <= max ? text.length() : max - 3;
        for (int i = 0; i < end; i++) {
            char character = text.charAt(i);
            shown.append(isPlain(character) ? character : '?');
        }
        return end < text.length() ? shown.append("...").toString() : shown.toString();
    }

    private static boolean isPlain(char character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}

package dev.weir.config.document.tree;

/**
 * A place in a document.
 *
 * @param line counted from 1; 0 = none
 * @param column counted from 1, in characters; 0 = none
 */
public record Place(int line, int column) {
    public static final Place NONE = new Place(0, 0);

    /** The place of a character of a text. */
    static Place of(CharSequence text, int index) {
        int line = 1;
        int start = 0;
        for (int i = 0; i < index && i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                line++;
                start = i + 1;
            }
        }
        return new Place(line, index - start + 1);
    }
}

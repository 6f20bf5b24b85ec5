package dev.weir.http;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A list or a dictionary of structured fields (RFC 8941), read strictly: a text with one mistake has no members at all. */
final class StructuredList {
    private static final int MAX_DIGITS = 15;
    private static final int MAX_DIGITS_BEFORE_POINT = 12;
    private static final int MAX_DIGITS_AFTER_POINT = 3;

    /** Marks a mistake. Never leaves this class. */
    private static final class Mistake extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    /** A member of the list: its string or token, null if it is something else, and those parameters that are integers. */
    record Member(@Nullable String name, Map<String, Long> figures) {}

    private final String text;
    private int at;

    private StructuredList(String text) {
        this.text = text;
    }

    static @Nullable List<Member> parse(String text) {
        try {
            return new StructuredList(text).list();
        } catch (Mistake e) {
            return null;
        }
    }

    /** Those members of a dictionary that are integers; null if the text is none. */
    static @Nullable Map<String, Long> dictionary(String text) {
        try {
            return new StructuredList(text).dictionary();
        } catch (Mistake e) {
            return null;
        }
    }

    private List<Member> list() throws Mistake {
        List<Member> members = new ArrayList<>();
        skip(" ");
        while (at < text.length()) {
            Object value = value();
            members.add(new Member(value instanceof String name ? name : null, parameters()));
            separator();
        }
        return members;
    }

    private Map<String, Long> dictionary() throws Mistake {
        Map<String, Long> figures = new HashMap<>();
        skip(" ");
        while (at < text.length()) {
            String key = key();
            put(key, next('=') ? value() : true, figures);
            parameters();
            separator();
        }
        return figures;
    }

    /* A comma stands between two members, never after the last. */
    private void separator() throws Mistake {
        skip(" \t");
        if (at < text.length()) {
            check(next(','));
            skip(" \t");
            check(at < text.length());
        }
    }

    /* An item, or a list of these in brackets as true; what follows are its parameters. */
    private Object value() throws Mistake {
        if (!next('(')) {
            return item();
        }
        skip(" ");
        while (!next(')')) {
            item();
            parameters();
            check(peek() == ' ' || peek() == ')');
            skip(" ");
        }
        return true;
    }

    private Map<String, Long> parameters() throws Mistake {
        Map<String, Long> figures = new HashMap<>();
        while (next(';')) {
            skip(" ");
            String key = key();
            put(key, next('=') ? item() : true, figures);
        }
        return figures;
    }

    private String key() throws Mistake {
        check(isLower(peek()) || peek() == '*');
        int start = at;
        while (isLower(peek()) || isDigit(peek()) || isOneOf("_-.*")) {
            at++;
        }
        return text.substring(start, at);
    }

    /* Of two values of one key the last counts, also if it is no figure. */
    private static void put(String key, Object value, Map<String, Long> figures) {
        if (value instanceof Long figure) {
            figures.put(key, figure);
        } else {
            figures.remove(key);
        }
    }

    /* A string and a token as their text, an integer as a long, everything else as true. */
    private Object item() throws Mistake {
        char first = peek();
        if (first == '"') {
            return string();
        }
        if (first == '-' || isDigit(first)) {
            return number();
        }
        if (next('?')) {
            check(isOneOf("01"));
            at++;
            return true;
        }
        if (next(':')) {
            return bytes();
        }
        check(isAlpha(first) || first == '*');
        int start = at;
        while (isAlpha(peek()) || isDigit(peek()) || isOneOf("!#$%&'*+-.^_`|~:/")) {
            at++;
        }
        return text.substring(start, at);
    }

    private String string() throws Mistake {
        StringBuilder string = new StringBuilder();
        check(next('"'));
        while (!next('"')) {
            char each = peek();
            check(each >= ' ' && each <= '~');
            at++;
            if (each == '\\') {
                check(isOneOf("\"\\"));
                each = text.charAt(at++);
            }
            string.append(each);
        }
        return string.toString();
    }

    private Object number() throws Mistake {
        int start = at;
        next('-');
        int digits = digits();
        if (!next('.')) {
            check(digits > 0 && digits <= MAX_DIGITS);
            return Long.parseLong(text, start, at, 10);
        }
        int fraction = digits();
        check(digits > 0 && digits <= MAX_DIGITS_BEFORE_POINT && fraction > 0 && fraction <= MAX_DIGITS_AFTER_POINT);
        return true;
    }

    private int digits() {
        int start = at;
        while (isDigit(peek())) {
            at++;
        }
        return at - start;
    }

    private Object bytes() throws Mistake {
        int end = text.indexOf(':', at);
        check(end >= 0);
        try {
            Base64.getDecoder().decode(text.substring(at, end));
        } catch (IllegalArgumentException e) {
            throw new Mistake();
        }
        at = end + 1;
        return true;
    }

    /* NUL, which no field contains, at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean next(char expected) {
        boolean is = peek() == expected;
        at += is ? 1 : 0;
        return is;
    }

    private void skip(String any) {
        while (isOneOf(any)) {
            at++;
        }
    }

    private boolean isOneOf(String any) {
        return at < text.length() && any.indexOf(text.charAt(at)) >= 0;
    }

    private static boolean isLower(char each) {
        return each >= 'a' && each <= 'z';
    }

    private static boolean isAlpha(char each) {
        return isLower(each) || (each >= 'A' && each <= 'Z');
    }

    private static boolean isDigit(char each) {
        return each >= '0' && each <= '9';
    }

    private static void check(boolean isRight) throws Mistake {
        if (!isRight) {
            throw new Mistake();
        }
    }
}

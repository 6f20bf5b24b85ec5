package dev.weir.config.builtin;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** All that an object of the library and the objects in it have in their fields, as text. */
final class StateText {
    private final Map<Object, Boolean> seen = new IdentityHashMap<>();

    private StateText() {}

    static String of(Object value) throws IllegalAccessException {
        return new StateText().text(value);
    }

    private String text(Object value) throws IllegalAccessException {
        if (value instanceof Iterable<?> list) {
            List<String> items = new ArrayList<>();
            for (Object item : list) {
                items.add(text(item));
            }
            return items.toString();
        }
        if (value == null
                || value instanceof Enum<?>
                || !value.getClass().getName().startsWith("dev.weir.")) {
            return isPlain(value) ? String.valueOf(value) : value.getClass().getSimpleName();
        }
        if (seen.put(value, true) != null) {
            return "seen";
        }
        StringBuilder text = new StringBuilder(value.getClass().getSimpleName()).append('{');
        for (Field field : Arrays.stream(value.getClass().getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .toList()) {
            field.setAccessible(true);
            text.append(field.getName())
                    .append('=')
                    .append(text(field.get(value)))
                    .append(' ');
        }
        return text.append('}').toString();
    }

    private static boolean isPlain(Object value) {
        return value == null
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof CharSequence
                || value instanceof Enum<?>;
    }
}

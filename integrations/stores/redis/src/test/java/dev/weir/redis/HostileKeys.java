package dev.weir.redis;

import dev.weir.keyed.Dimensions;
import dev.weir.keyed.KeyValues;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.UUID;

/** Keys as an attacker would choose them. */
final class HostileKeys {
    private static final String[] PARTS = {
        "}x",
        "{7}",
        "{",
        "}",
        "{}",
        "\0",
        "\r\n",
        ":",
        "|",
        "#",
        "%",
        "%7D",
        "/",
        "../",
        " ",
        "*",
        "?",
        "[",
        "\"",
        "'",
        "\\",
        "weir",
        "login",
        "s:",
        "i:7",
        "7",
        "user",
        "\u00e9",
        "e\u0301",
        "\u20ac",
        "\uD83D\uDE00",
        "\uD83D",
        "\uDE00",
        "\uFFFD",
        "\uFFFF"
    };
    private static final int MEGABYTE = 1 << 20;

    private HostileKeys() {}

    /** One in a thousand is of a megabyte. */
    static Object next(SplittableRandom random) {
        switch (random.nextInt(12)) {
            case 0:
                return random.nextInt();
            case 1:
                return (long) random.nextInt(100);
            case 2:
                return new UUID(random.nextLong(), random.nextLong());
            case 3:
                return Dimensions.of("a" + text(random), text(random), "b" + text(random), text(random));
            case 4:
            case 5: {
                String[] values = new String[1 + random.nextInt(4)];
                for (int i = 0; i < values.length; i++) {
                    values[i] = text(random);
                }
                return KeyValues.of(values);
            }
            default:
                return random.nextInt(500) == 0 ? megabyte(random) : text(random);
        }
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        int parts = random.nextInt(random.nextInt(20) == 0 ? 100 : 6);
        for (int i = 0; i < parts; i++) {
            text.append(PARTS[random.nextInt(PARTS.length)]);
        }
        return text.toString();
    }

    private static String megabyte(SplittableRandom random) {
        char[] text = new char[MEGABYTE];
        Arrays.fill(text, 'x');
        text[random.nextInt(MEGABYTE)] = (char) random.nextInt(1 << 16);
        return new String(text);
    }
}

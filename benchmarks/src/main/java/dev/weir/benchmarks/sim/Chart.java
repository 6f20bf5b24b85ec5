package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Canvas.Anchor;
import dev.weir.benchmarks.sim.Canvas.Pen;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Panels over one time axis, one above the other. */
final class Chart {
    /**
     * One of them; its values start at 0.
     *
     * @param title what it shows, with the unit
     * @param references what algorithms are held against, in grey and black behind them
     * @param series the algorithms' own. The name up to a colon is the algorithm's and decides the colour in all
     *     panels; its second and further series in a panel are thin; the eleventh algorithm and later ones are dashed.
     * @param highest the top of the axis at most, where what lies above is drawn; infinity if all is to be seen
     */
    record Panel(String title, List<Series> references, List<Series> series, double highest) {
        Panel {
            if (!(highest > 0)) {
                throw new IllegalArgumentException("highest must be > 0, was " + highest);
            }
            references = List.copyOf(references);
            series = List.copyOf(series);
        }

        Panel(String title, List<Series> references, List<Series> series) {
            this(title, references, series, Double.POSITIVE_INFINITY);
        }

        double max() {
            double max = all().mapToDouble(Series::max).max().orElse(0);
            return max > 0 ? Math.min(highest, 1.05 * max) : 1;
        }

        Stream<Series> all() {
            return Stream.concat(references.stream(), series.stream());
        }
    }

    private record Drawn(Series series, Pen pen) {}

    /** Where a panel's plot lies, and how much its edges stand for. */
    private record Plot(double top, double bottom, double seconds, double max) {
        double x(double second) {
            return LEFT + second / seconds * (WIDTH - LEFT - RIGHT);
        }

        double y(double value) {
            return bottom - Math.min(1, value / max) * (bottom - top);
        }
    }

    private static final int WIDTH = 1000;
    private static final int LEFT = 70;
    private static final int RIGHT = 25;
    private static final int HEAD = 44;
    private static final int PLOT = 180;
    private static final int ROW = 17;
    private static final int FOOT = 40;
    private static final int SMALL = 11;
    /* Wider than any character of the font is on average, so that no entry of a legend runs into the next. */
    private static final double CHARACTER = 0.68 * SMALL;
    private static final double KEY = 24;

    private static final Pen FRAME = new Pen(0x555555, 1, false);
    private static final Pen GRID = new Pen(0xe4e4e4, 1, false);
    private static final int[] REFERENCES = {0x8a8a8a, 0x000000, 0xb0a080};
    private static final int[] COLOURS = {
        0x0072b2, 0xd55e00, 0x009e73, 0xcc3399, 0x8c6d00, 0x56b4e9, 0x6a3d9a, 0xb22222, 0x7f9f00, 0x5f5f9f
    };

    private final String title;
    private final List<Panel> panels;
    private final List<String> algorithms;

    Chart(String title, List<Panel> panels) {
        if (panels.isEmpty()) {
            throw new IllegalArgumentException("panels must not be empty");
        }
        this.title = title;
        this.panels = List.copyOf(panels);
        algorithms = panels.stream()
                .flatMap(panel -> panel.series().stream())
                .map(Chart::algorithm)
                .distinct()
                .toList();
    }

    private static String algorithm(Series series) {
        return series.name().split(":", 2)[0];
    }

    String svg() {
        Svg svg = new Svg(WIDTH, height());
        draw(svg);
        return svg.toString();
    }

    void png(OutputStream out) throws IOException {
        Png png = new Png(WIDTH, height());
        draw(png);
        png.write(out);
    }

    /** Writes {@code name.svg} and {@code name.png}. */
    void write(Path directory, String name) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(name + ".svg"), svg());
        try (OutputStream out = Files.newOutputStream(directory.resolve(name + ".png"))) {
            png(out);
        }
    }

    private int height() {
        return HEAD + FOOT + panels.stream().mapToInt(Chart::height).sum();
    }

    private static int height(Panel panel) {
        return ROW + ROW * legend(panel).size() + PLOT + 2 * ROW;
    }

    private void draw(Canvas canvas) {
        canvas.text(LEFT, 28, title, 16, true, Anchor.START);
        double seconds =
                panels.stream().flatMap(Panel::all).mapToLong(Series::end).max().orElse(0) / 1e9;
        double top = HEAD;
        for (Panel panel : panels) {
            draw(canvas, panel, top, seconds > 0 ? seconds : 1);
            top += height(panel);
        }
        canvas.text((LEFT + WIDTH - RIGHT) / 2.0, top + 8, "time (s)", SMALL + 1, false, Anchor.MIDDLE);
    }

    private void draw(Canvas canvas, Panel panel, double top, double seconds) {
        canvas.text(LEFT, top + 12, panel.title(), SMALL + 1, true, Anchor.START);
        List<Drawn> lines = lines(panel);
        double row = top + ROW;
        for (List<Series> entries : legend(panel)) {
            double x = LEFT;
            for (Series entry : entries) {
                Pen pen = lines.stream()
                        .filter(line -> line.series() == entry)
                        .findFirst()
                        .orElseThrow()
                        .pen();
                canvas.line(x, row + 8, x + KEY, row + 8, pen);
                canvas.text(x + KEY + 6, row + 12, entry.name(), SMALL, false, Anchor.START);
                x += room(entry);
            }
            row += ROW;
        }
        Plot plot = new Plot(row + 6, row + 6 + PLOT, seconds, panel.max());
        axes(canvas, plot);
        lines.forEach(line -> draw(canvas, line, plot));
    }

    private static void axes(Canvas canvas, Plot plot) {
        ticks(plot.seconds(), 12, second -> {
            double x = plot.x(second);
            canvas.line(x, plot.top(), x, plot.bottom(), GRID);
            canvas.line(x, plot.bottom(), x, plot.bottom() + 4, FRAME);
            canvas.text(x, plot.bottom() + 16, number(second), SMALL, false, Anchor.MIDDLE);
        });
        ticks(plot.max(), 8, value -> {
            double y = plot.y(value);
            canvas.line(LEFT, y, WIDTH - RIGHT, y, GRID);
            canvas.line(LEFT - 4, y, LEFT, y, FRAME);
            canvas.text(LEFT - 8, y + 4, number(value), SMALL, false, Anchor.END);
        });
        canvas.line(LEFT, plot.top(), LEFT, plot.bottom(), FRAME);
        canvas.line(LEFT, plot.bottom(), WIDTH - RIGHT, plot.bottom(), FRAME);
    }

    private static void draw(Canvas canvas, Drawn line, Plot plot) {
        double[] xs = Arrays.stream(line.series().atNanos())
                .mapToDouble(at -> plot.x(at / 1e9))
                .toArray();
        double[] values = line.series().values();
        int from = 0;
        for (int i = 0; i <= values.length; i++) {
            if (i == values.length || !Double.isFinite(values[i])) {
                if (i > from) {
                    double[] ys = Arrays.stream(values, from, i).map(plot::y).toArray();
                    canvas.polyline(Arrays.copyOfRange(xs, from, i), ys, line.pen());
                }
                from = i + 1;
            }
        }
    }

    private List<Drawn> lines(Panel panel) {
        List<Drawn> lines = new ArrayList<>();
        for (int i = 0; i < panel.references().size(); i++) {
            int colour = REFERENCES[i % REFERENCES.length];
            lines.add(new Drawn(panel.references().get(i), new Pen(colour, 1.4, i > 0)));
        }
        List<String> seen = new ArrayList<>();
        for (Series series : panel.series()) {
            String algorithm = algorithm(series);
            int number = algorithms.indexOf(algorithm);
            int colour = COLOURS[number % COLOURS.length];
            boolean again = number >= COLOURS.length;
            lines.add(new Drawn(series, new Pen(colour, seen.contains(algorithm) ? 0.8 : 1.8, again)));
            seen.add(algorithm);
        }
        return lines;
    }

    /** The entries of the legend in as many rows as they need. */
    private static List<List<Series>> legend(Panel panel) {
        List<List<Series>> rows = new ArrayList<>(List.of(new ArrayList<>()));
        double x = LEFT;
        for (Series series : panel.all().toList()) {
            if (x + room(series) > WIDTH - RIGHT && x > LEFT) {
                rows.add(new ArrayList<>());
                x = LEFT;
            }
            rows.get(rows.size() - 1).add(series);
            x += room(series);
        }
        return rows;
    }

    private static double room(Series series) {
        return KEY + 6 + CHARACTER * series.name().length() + 14;
    }

    /** Steps of 1, 2 or 5 times a power of ten, at most so many. */
    private static void ticks(double end, int max, Consumer<Double> at) {
        double power = Math.pow(10, Math.floor(Math.log10(end / max)));
        double step = Stream.of(1, 2, 5, 10)
                .map(times -> times * power)
                .filter(width -> end / width <= max)
                .findFirst()
                .orElse(10 * power);
        for (int i = 0; i * step <= end * (1 + 1e-9); i++) {
            at.accept(i * step);
        }
    }

    private static String number(double value) {
        return new BigDecimal(value, new MathContext(6)).stripTrailingZeros().toPlainString();
    }
}

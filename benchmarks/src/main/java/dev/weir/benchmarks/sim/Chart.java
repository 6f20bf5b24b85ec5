package dev.weir.benchmarks.sim;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Rectangle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jfree.chart.ChartUtils;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** Panels over one time axis, one above the other. */
final class Chart {
    /**
     * One of them; its values start at 0.
     *
     * @param title what it shows, with the unit
     * @param references what algorithms are held against, in grey and black
     * @param series the algorithms' own. The name up to a colon decides the colour in all panels; a second and further series of an
     *     algorithm in a panel are thin; the eleventh algorithm and later ones are dashed
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

        private double max() {
            double max = Stream.concat(references.stream(), series.stream())
                    .mapToDouble(Series::max)
                    .max()
                    .orElse(0);
            return max > 0 ? Math.min(highest, 1.05 * max) : 1;
        }
    }

    private static final int WIDTH = 1000;
    private static final int HEAD = 130;
    private static final int PLOT = 230;
    private static final int[] REFERENCES = {0x8a8a8a, 0x000000, 0xb0a080};
    private static final int[] COLOURS = {
        0x0072b2, 0xd55e00, 0x009e73, 0xcc3399, 0x8c6d00, 0x56b4e9, 0x6a3d9a, 0xb22222, 0x7f9f00, 0x5f5f9f
    };

    private final List<String> references;
    private final List<String> algorithms;
    private final Set<String> named = new HashSet<>();
    private final JFreeChart chart;
    private final int height;

    Chart(String title, List<Panel> panels) {
        if (panels.isEmpty()) {
            throw new IllegalArgumentException("panels must not be empty");
        }
        references = names(panels, Panel::references);
        algorithms = names(panels, Panel::series);
        height = HEAD + PLOT * panels.size();
        NumberAxis time = new NumberAxis("time (s)");
        time.setLowerMargin(0);
        time.setUpperMargin(0);
        CombinedDomainXYPlot all = new CombinedDomainXYPlot(time);
        panels.forEach(panel -> all.add(plot(panel)));
        chart = new JFreeChart(title, new Font(Font.SANS_SERIF, Font.BOLD, 16), all, true);
        chart.setBackgroundPaint(Color.WHITE);
    }

    private static List<String> names(List<Panel> panels, Function<Panel, List<Series>> of) {
        return panels.stream()
                .flatMap(panel -> of.apply(panel).stream())
                .map(Chart::algorithm)
                .distinct()
                .toList();
    }

    private static String algorithm(Series series) {
        return series.name().split(":", 2)[0];
    }

    private XYPlot plot(Panel panel) {
        XYSeriesCollection lines = new XYSeriesCollection();
        XYLineAndShapeRenderer pens = new XYLineAndShapeRenderer(true, false);
        pens.setDrawSeriesLineAsPath(true);
        double max = panel.max();
        for (Series series : panel.references()) {
            int number = references.indexOf(algorithm(series));
            draw(lines, pens, series, max, REFERENCES[number % REFERENCES.length], pen(1.4f, number > 0));
        }
        Set<String> seen = new HashSet<>();
        for (Series series : panel.series()) {
            int number = algorithms.indexOf(algorithm(series));
            float width = seen.add(algorithm(series)) ? 1.8f : 0.8f;
            int colour = COLOURS[number % COLOURS.length];
            draw(lines, pens, series, max, colour, pen(width, number >= COLOURS.length));
        }
        NumberAxis values = new NumberAxis(panel.title());
        values.setRange(0, max);
        XYPlot plot = new XYPlot(lines, null, values, pens);
        plot.setBackgroundPaint(Color.WHITE);
        plot.setRangeGridlinePaint(Color.LIGHT_GRAY);
        plot.setDomainGridlinePaint(Color.LIGHT_GRAY);
        return plot;
    }

    /* A name is in the legend once, for it has the same colour in all panels. */
    private void draw(
            XYSeriesCollection lines,
            XYLineAndShapeRenderer pens,
            Series series,
            double max,
            int colour,
            BasicStroke pen) {
        XYSeries line = new XYSeries(series.name(), false);
        for (int i = 0; i < series.values().length; i++) {
            double value = series.values()[i];
            line.add(series.atNanos()[i] / 1e9, Double.isFinite(value) ? Math.min(max, value) : Double.NaN);
        }
        int number = lines.getSeriesCount();
        lines.addSeries(line);
        pens.setSeriesPaint(number, new Color(colour));
        pens.setSeriesStroke(number, pen);
        pens.setSeriesVisibleInLegend(number, named.add(series.name()));
    }

    private static BasicStroke pen(float width, boolean dashed) {
        float[] dashes = dashed ? new float[] {6, 4} : null;
        return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, dashes, 0);
    }

    String svg() throws IOException {
        VectorGraphics2D graphics = new VectorGraphics2D();
        chart.draw(graphics, new Rectangle(WIDTH, height));
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        new SVGProcessor()
                .getDocument(graphics.getCommands(), new PageSize(0, 0, WIDTH, height))
                .writeTo(text);
        return text.toString(StandardCharsets.UTF_8);
    }

    /** Writes {@code name.svg} and {@code name.png}, which has twice the size so that it is sharp. Needs no display, but a font. */
    void write(Path directory, String name) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(name + ".svg"), svg());
        try (OutputStream out = Files.newOutputStream(directory.resolve(name + ".png"))) {
            ChartUtils.writeScaledChartAsPNG(out, chart, WIDTH, height, 2, 2);
        }
    }
}

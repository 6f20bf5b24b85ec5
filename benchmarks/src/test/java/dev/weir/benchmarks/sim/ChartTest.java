package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ChartTest {
    private static Series series(String name, DoubleUnaryOperator value) {
        long[] at = new long[201];
        double[] values = new double[at.length];
        for (int i = 0; i < at.length; i++) {
            at[i] = i * 500_000_000L;
            values[i] = value.applyAsDouble(i / 2.0);
        }
        return new Series(name, at, values);
    }

    private static Chart sample() {
        SplittableRandom noise = new SplittableRandom(1);
        List<Series> limits = new ArrayList<>();
        List<Series> goodputs = new ArrayList<>();
        List<Series> latencies = new ArrayList<>();
        for (String name : List.of("Weir", "Envoy", "VegasWin", "NoLimit")) {
            double size = 20 + 10 * limits.size();
            limits.add(series(
                    name + ": limit",
                    at -> name.equals("NoLimit") && at > 20 ? Double.POSITIVE_INFINITY : size + 10 * Math.sin(at / 9)));
            limits.add(series(name + ": in flight", at -> size + 5 * Math.sin(at / 9) + 3 * noise.nextDouble()));
            goodputs.add(series(name, at -> (at > 30 && at < 70 ? 700 : 1300) - 3 * size * noise.nextDouble()));
            latencies.add(series(name, at -> 0.02 + 0.004 * size * noise.nextDouble()));
        }
        return new Chart(
                "cap_halves <&> seed 1",
                List.of(
                        new Chart.Panel("limit and in flight (requests)", List.of(), limits),
                        new Chart.Panel(
                                "goodput (requests/s)",
                                List.of(
                                        series("offered", at -> 1360),
                                        series("oracle", at -> at > 30 && at < 70 ? 800 : 1350)),
                                goodputs),
                        new Chart.Panel("p99 of what was admitted (s)", List.of(), latencies)));
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    @Test
    void svgIsWellFormedAndHasALineASeries() throws Exception {
        Document svg = parsed(sample().svg());
        assertEquals(8 + 6 + 4, svg.getElementsByTagName("polyline").getLength());
        assertEquals(
                "cap_halves <&> seed 1",
                svg.getElementsByTagName("text").item(0).getTextContent());
    }

    /* Two values, a gap, two values. The plot is 905 wide from 70, over 3 s. */
    @Test
    void whatIsNotFiniteLeavesAGap() throws Exception {
        Series gap = new Series(
                "a",
                new long[] {0, 1_000_000_000L, 1_500_000_000L, 2_000_000_000L, 3_000_000_000L},
                new double[] {1, 2, Double.POSITIVE_INFINITY, 0, 2});
        String svg = new Chart("t", List.of(new Chart.Panel("p", List.of(), List.of(gap)))).svg();
        Document parsed = parsed(svg);
        assertEquals(2, parsed.getElementsByTagName("polyline").getLength());
        String points = parsed.getElementsByTagName("polyline")
                .item(0)
                .getAttributes()
                .getNamedItem("points")
                .getTextContent();
        assertTrue(points.startsWith("70.0,") && points.contains(" 371.7,"), points);
    }

    /* Above the plot: 44 for the title, 17 for the panel's, 17 for its legend, 6 between. It is 180 high. */
    @Test
    void whatIsTooHighIsDrawnAtTheTop() throws Exception {
        Series high = new Series("a", new long[] {0, 1_000_000_000L}, new double[] {5, 1000});
        Document svg = parsed(new Chart("t", List.of(new Chart.Panel("p", List.of(), List.of(high), 10))).svg());
        assertEquals(
                "70.0,174.0 975.0,84.0",
                svg.getElementsByTagName("polyline")
                        .item(0)
                        .getAttributes()
                        .getNamedItem("points")
                        .getTextContent());
    }

    @Test
    void writesBothPictures(@TempDir Path directory) throws Exception {
        sample().write(directory, "sample");
        assertTrue(Files.size(directory.resolve("sample.svg")) > 0);
        BufferedImage image = ImageIO.read(directory.resolve("sample.png").toFile());
        assertNotNull(image);
        assertEquals(2000, image.getWidth());
    }

    @Test
    void anEmptyChartHasAxes() throws Exception {
        Series none = new Series("a", new long[0], new double[0]);
        Document svg = parsed(new Chart("t", List.of(new Chart.Panel("p", List.of(), List.of(none)))).svg());
        assertEquals(0, svg.getElementsByTagName("polyline").getLength());
        assertTrue(svg.getElementsByTagName("line").getLength() > 2);
        assertThrows(IllegalArgumentException.class, () -> new Chart("t", List.of()));
        assertThrows(IllegalArgumentException.class, () -> new Chart.Panel("p", List.of(), List.of(), 0));
        assertThrows(IllegalArgumentException.class, () -> new Series("a", new long[1], new double[0]));
    }
}

// A serial transmitter: start bit, eight data bits, stop bit, two clocks each. The line is high when idle, a byte takes
// 20 clocks, and the shift register is all ones at the end.
module uart (
    input  logic       clk,
    input  logic       start,
    input  logic [7:0] data,
    output logic       line,
    output logic       busy
);
    logic [9:0] shifter = '1;
    logic [3:0] bits = 0;
    logic       half = 0;

    assign line = shifter[0];
    assign busy = bits != 0;

    always_ff @(posedge clk)
        if (!busy) begin
            if (start) begin
                shifter <= {1'b1, data, 1'b0};
                bits <= 10;
                half <= 0;
            end
        end else begin
            half <= !half;
            if (half) begin
                shifter <= {1'b1, shifter[9:1]};
                bits <= bits - 1;
            end
        end

`ifdef FORMAL
    logic [4:0] clocks = 0;
    always_ff @(posedge clk)
        clocks <= busy ? clocks + 1 : 0;

    always_comb begin
        if (!busy) begin
            idle_is_high: assert (line);
            all_sent: assert (shifter == '1);
        end
        at_most_ten: assert (bits <= 10);
        in_time: assert (clocks <= 20);
        if (bits == 10)
            start_bit: assert (!line);
        byte_is_sent: cover (clocks == 20);
    end
`endif
endmodule
